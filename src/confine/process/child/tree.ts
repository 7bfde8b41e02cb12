import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process as `/proc` shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly ended: boolean;
}

/** What belongs to a command, whoever its parent is by now. */
export interface Belonging {
  /** The process that was spawned, a leader of its own group and session. */
  readonly pid: number;
  /** Its process as other data know it: a limit or a variable that its descendants inherit. */
  readonly isTagged?: ((pid: number) => boolean) | undefined;
}

/**
 * The living processes of a command without the first one: children of children, members of its groups and
 * sessions, and those that left all of them (`setsid`) and were adopted, found by the tag that they inherited.
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

/** Kills all of them, the first one too where it still runs. */
export function destroyGroup(belonging: Belonging, isRunning: boolean): void {
  const members = findMembers(belonging);
  // The group in one go: one by one, a fork bomb grows faster than it dies.
  const isGroup = isRunning || members.some((member) => member.group === belonging.pid) || !hasProc();
  if (isGroup) signal(-belonging.pid, 'SIGKILL');
  for (const member of members) signal(member.pid, 'SIGKILL');
}

/** Signals a process that may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone, or of another user by a set-user-id program that the sandbox does not allow.
  }
}

/** Is it there and not only waiting to be collected? */
export function isAlive(pid: number): boolean {
  const row = readProcess(pid);
  if (row || hasProc()) return row !== undefined && !row.ended;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Without it (macOS) a command is its process group. */
function hasProc(): boolean {
  return existsSync('/proc/self/stat');
}

/** Children have higher numbers than the first process, unless the numbers began anew since. */
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

/** The number that was given last: `0.10 0.12 0.09 2/345 6789`. */
function newestProcess(): number {
  return Number(/(\d+)\s*$/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
}

function readProcess(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold anything.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 4);
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      ended: state === 'Z' || state === 'X',
    };
  } catch {
    return undefined;
  }
}
