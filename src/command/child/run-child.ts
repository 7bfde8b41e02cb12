import { constants } from 'node:os';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import { personStops, serverStops } from '../../ground/waiting/abort.ts';
import type { ProcessLimits } from '../prelude.ts';
import { type Use, watchUse } from '../watch-use.ts';
import type { Child } from './child.ts';
import { isAlive, signal as send } from './tree.ts';

export interface Ending {
  /** 128 + signal if a signal ended it. */
  readonly exitCode: number;
  readonly signal: string | undefined;
  /** The reason if we ended it. */
  readonly stoppedBy: 'timeout' | 'signal' | Use | undefined;
}

/** Makes the notes that are appended to the output of an ended command. */
export type EndNotes = (how: Ending, outputs: readonly string[]) => readonly string[];

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly most: Pick<ProcessLimits, 'processes' | 'memoryBytes'>;
}

/**
 * Waits until a child exits, its time is over or the signal aborts; returns when none of its processes is left and its
 * output is read. A process that keeps its pipes open, as in `sleep 3 &`, does not delay it.
 */
export async function waitForEnd(child: Child, { timeoutMs, signal, most }: WaitOptions): Promise<Ending> {
  let stoppedBy: Ending['stoppedBy'];
  let stopping: Promise<void> | undefined;
  const stop = (by: NonNullable<Ending['stoppedBy']>) => {
    stoppedBy ??= by;
    // A command that grows without limit is killed at once: during a grace period it would go on.
    const isGrowing = by === 'processes' || by === 'memory';
    const isSoon = signal.reason === serverStops || signal.reason === personStops;
    const graceMs = isSoon ? limits.stoppingKillMs : limits.killGraceMs;
    stopping ??= stopTree(child, isGrowing ? 0 : graceMs);
  };
  const abort = () => stop('signal');
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  const watch = watchUse(child, most, stop);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const exit = await child.exited;
    await stopping;
    await drained(child);
    child.destroy();
    return { ...describe(exit, stoppedBy !== undefined), stoppedBy };
  } finally {
    clearTimeout(timer);
    watch.close();
    signal.removeEventListener('abort', abort);
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin?.destroy();
    child.report?.destroy();
  }
}

/**
 * Sends TERM to every process of the command, and KILL to the rest after the grace period; resolves when all are gone.
 */
export async function stopTree(child: Child, graceMs: number = limits.killGraceMs): Promise<void> {
  const deadline = performance.now() + graceMs;
  let members = graceMs > 0 ? child.members() : [];
  for (const pid of members) send(pid, 'SIGTERM');
  while (performance.now() < deadline) {
    await sleep(20);
    if (members.some(isAlive)) continue;
    // Processes started in the meantime get their own TERM.
    members = child.members();
    if (members.length === 0) break;
    for (const pid of members) send(pid, 'SIGTERM');
  }
  // It may fork faster than it is killed: repeat until no process is found.
  for (let round = 0; round < 50; round++) {
    child.destroy();
    await sleep(round === 0 ? 0 : 10);
    if (child.members().length === 0) break;
  }
  await child.exited;
}

/** After the exit all output is in the pipes: wait until a turn of the event loop brings no more. */
async function drained(child: Child): Promise<void> {
  const deadline = performance.now() + 100;
  let arrived = true;
  const note = () => {
    arrived = true;
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  child.report?.on('data', note);
  while (arrived && performance.now() < deadline) {
    arrived = false;
    // Two turns: the exit may have been reported in the first one.
    await nextTurn();
    await nextTurn();
  }
}

/** Describes the exit as a shell does. A stopped command never looks like a success. */
export function describe(
  { code, signal }: Exit,
  wasStopped = false,
): { exitCode: number; signal: string | undefined } {
  if (signal !== undefined) return { exitCode: 128 + constants.signals[signal], signal };
  const exitCode = code ?? 255;
  // bubblewrap and shells report a signal as 128 + its number.
  const name = exitCode > 128 ? signalNames.get(exitCode - 128) : undefined;
  if (wasStopped && exitCode === 0) return { exitCode: 128 + constants.signals.SIGTERM, signal: 'SIGTERM' };
  return { exitCode, signal: name };
}

const signalNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);
