import { readFileSync, readlinkSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';
import { descriptors, memoryNames } from './memory-names.ts';
import type { Process } from './standing.ts';

/** A small program that has connected, as the kernel describes it. */
export interface JoinedProgram extends Process {
  readonly pid: number;
  /** The arguments after `serve`. */
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Undefined if the process is no small program. Throws if it is gone. */
export function joinedProgramOf(pid: number): JoinedProgram | undefined {
  if (!hasUp(pid)) return undefined;
  const [, node = '', script = '', , ...args] = stringsOf(pid, 'cmdline');
  return {
    pid,
    node,
    script,
    args,
    cwd: readlinkSync(`/proc/${pid}/cwd`),
    environment: environmentOf(pid),
  };
}

/** The variables that a process was started with. Throws if it is gone. */
export function environmentOf(pid: number): NodeJS.ProcessEnv {
  return Object.fromEntries(
    stringsOf(pid, 'environ').map((entry) => {
      const at = entry.indexOf('=', 1);
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

function stringsOf(pid: number, file: string): readonly string[] {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').slice(0, -1);
}

function hasUp(pid: number): boolean {
  return orElse(
    () => readlinkSync(`/proc/${pid}/fd/${descriptors.up}`).startsWith(`/memfd:${memoryNames.up}`),
    false,
  );
}
