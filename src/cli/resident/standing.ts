import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, residentFolderOf } from '../../config/places/state.ts';
import { orElse } from '../../ground/or-else.ts';

/**
 * The properties of a process that its commands would inherit, as the kernel reports them: its user, its rights, limits and umask, and the
 * namespaces that it sees. A session is served only by a server whose standing is the same. Undefined if they
 * cannot be read, or if a sandbox that they do not show may hold the process.
 */
export function standingOf(pid: number | 'self'): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
    // Landlock and filters need this flag, and two processes with it may be held by different ones.
    if (status.includes('NoNewPrivs:\t1')) return undefined;
    return JSON.stringify([
      status.filter((line) => ofRights.test(line)),
      // Node raises how many files it may have open to what it is allowed.
      readFileSync(`/proc/${pid}/limits`, 'utf8').replace(/^(Max open files +)\d+ */m, '$1'),
      namespaces.map((name) => readlinkSync(`/proc/${pid}/ns/${name}`)),
      readlinkSync(`/proc/${pid}/root`),
    ]);
  } catch {
    // The process is gone, or not ours to look at.
    return undefined;
  }
}

/** Whether a process is this user's and sees what we see, so that it may ask for our sessions. */
export function isOfUser(pid: number): boolean {
  const view = (of: number | 'self') => [
    readFileSync(`/proc/${of}/status`, 'utf8')
      .split('\n')
      .find((line) => line.startsWith('Uid:')),
    ...namespaces.map((name) => readlinkSync(`/proc/${of}/ns/${name}`)),
  ];
  // As above: it is none of ours.
  return orElse(() => view(pid).join() === view('self').join(), false);
}

const ofRights = /^(Uid|Gid|Groups|Umask|Cap[A-Z][a-z]+|Seccomp|Seccomp_filters):/;
const namespaces = ['mnt', 'user', 'net', 'pid', 'ipc', 'uts'];

/** A process as its server sees it. */
export interface Process {
  readonly pid: number | 'self';
  readonly node: string;
  readonly script: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** This process, which was started as a command of ours. */
export function thisProcess(): Process {
  return { pid: 'self', node: process.execPath, script: process.argv[1] ?? '', environment: process.env };
}

/**
 * The name of the resident server for a process: its standing and its variables, then its build. Properties of a whole
 * process are part of the name, so that sessions which differ in it have different servers. Undefined if there can be none.
 */
export function residentNameOf({ pid, node, script, environment }: Process): string | undefined {
  const standing = standingOf(pid);
  if (standing === undefined) return undefined;
  const world = [standing, Object.entries(ofProcess(environment)).sort()];
  const build = [script, statSync(script, { throwIfNoEntry: false })?.mtimeMs, node];
  return [world, build].map(digestOf).join('-');
}

/** Whether two names differ at most in the build. */
export function isSameWorld(one: string, other: string): boolean {
  return one.split('-')[0] === other.split('-')[0];
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}

/** The socket of a resident server; undefined if its path is too long for one. */
export function residentSocketOf(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const path = join(residentFolderOf(environment, homeOf(environment)), `${name}.sock`);
  return Buffer.byteLength(path) <= mostPathBytes ? path : undefined;
}

/** The variables that a process reads by itself, or passes on unseen; NODE is npm's own note. */
export function ofProcess(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => processWide.test(name)));
}

const processWide =
  /^(?!NODE$)(HOME|USER|LOGNAME|TMPDIR|TZ|TZDIR|LANG|LANGUAGE|LC_\w+|XDG_(CONFIG|STATE|DATA|CACHE|RUNTIME)_\w+|(NODE|SSL|AWS|PG|UV|LD|ICU|OPENSSL|MALLOC|DYLD)_?\w*|(HTTPS?|ALL|NO)_PROXY|DBUS_SESSION_BUS_ADDRESS)$/i;
/** Of a Unix socket's address, less what the process that binds it adds. */
const mostPathBytes = 96;
