import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';

/** A process as `/proc` shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly ended: boolean;
}

/** Identifies the processes of a command, even if their parents changed. */
export interface Belonging {
  /** The spawned process, leader of its own group and session. */
  readonly pid: number;
  /** Recognizes its processes by an inherited limit or variable. */
  readonly isTagged?: ((pid: number) => boolean) | undefined;
}

/**
 * The living processes of a command except the first: descendants, members of its groups and sessions, and those that
 * left all of these (`setsid`) and were adopted, found by the inherited tag.
 */
export function findMembers({ pid, isTagged }: Belonging): ProcessRow[] {
  const rows = readProcessesSince(pid);
  const members = new Set([pid]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const row of rows) {
      if (members.has(row.pid)) continue;
      if (members.has(row.parent) || members.has(row.group) || members.has(row.session)) {
        members.add(row.pid);
        grew = true;
      }
    }
  }
  const living: ProcessRow[] = [];
  for (const row of rows) {
    if (row.ended || row.pid === pid || row.pid === process.pid) continue;
    if (members.has(row.pid) || isTagged?.(row.pid)) living.push(row);
  }
  return living;
}

/** Kills all of them, including the first process if it still runs. */
export function destroyGroup(belonging: Belonging, isRunning: boolean): void {
  const members = findMembers(belonging);
  // Kill the group at once: killed one by one, a fork bomb grows faster than it dies.
  const isGroup = isRunning || members.some((member) => member.group === belonging.pid) || !hasProc();
  if (isGroup) signal(-belonging.pid, 'SIGKILL');
  for (const member of members) signal(member.pid, 'SIGKILL');
}

/** Signals a process that may be gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  // Gone, or owned by another user through a set-user-id program, which the sandbox does not allow.
  orElse(() => process.kill(pid, name), undefined);
}

/** Does it run, and is not a zombie? */
export function isAlive(pid: number): boolean {
  const row = readProcess(pid);
  if (row || hasProc()) return row !== undefined && !row.ended;
  return orElse(() => {
    process.kill(pid, 0);
    return true;
  }, false);
}

/** Without /proc (macOS) a command is its process group. */
function hasProc(): boolean {
  return existsSync('/proc/self/stat');
}

/** Descendants have higher numbers than the first process, unless the numbers have wrapped around. */
function readProcessesSince(first: number): ProcessRow[] {
  if (!hasProc()) return [];
  const from = newestProcess() < first ? 0 : first;
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const row = pid >= from ? readProcess(pid) : undefined;
    if (row) rows.push(row);
  }
  return rows;
}

/** The last number given: `0.10 0.12 0.09 2/345 6789`. */
function newestProcess(): number {
  return Number(/(\d+)\s*$/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
}

function readProcess(pid: number): ProcessRow | undefined {
  return orElse(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may contain anything.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 4);
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      ended: state === 'Z' || state === 'X',
    };
  }, undefined);
}
