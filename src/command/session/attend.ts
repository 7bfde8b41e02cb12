import type { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandLine, RunOptions, RunResult } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import type { Named } from '../../git/find-repositories.ts';
import { counted } from '../../ground/counted.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { isInside } from '../../ground/inside.ts';
import type { RunningCommand } from '../background.ts';
import { collectReport } from '../child/report.ts';
import { type Ending, waitForEnd } from '../child/run-child.ts';
import { reachesHosts, type StartedCommand, startCommand } from '../child/start-command.ts';
import { createOutputKeeper } from '../output/output.ts';
import { defaultProcessLimits } from '../prelude.ts';
import type { Walls } from '../sandbox/walls.ts';
import { addBackground, hasRoom } from './backgrounds.ts';
import type { Trial } from './dry-run.ts';
import { createEndNotes } from './end-notes.ts';
import { readShown } from './judged.ts';
import { type Came, landEnded, landGoing } from './land-ended.ts';
import type { Recorder } from './recorder.ts';
import type { Runner } from './session.ts';

/** A command that has ended, with what came of its layer if it had one, or that goes on in the background. */
export type Ran =
  | { readonly kind: 'ended'; readonly result: RunResult; readonly came?: Came | undefined }
  | { readonly kind: 'going'; readonly command: RunningCommand };

/**
 * Runs a command until it ends, or for `handOverMs`: then it goes on in the background. `left` takes each name in the
 * landed changes by which git could find a repository.
 */
export async function attend(
  command: CommandLine,
  asked: RunOptions & { readonly handOverMs?: number | undefined },
  recorder: Recorder,
  runner: Runner,
  leftNames: Named[] = [],
): Promise<Ran> {
  const { session, sandbox, options } = runner;
  const isDry = recorder.kind === 'dry-run';
  // A dry run must not write to the session's shared files, nor outlive its call.
  const runOptions = isDry ? { ...asked, inSession: false, handOverMs: undefined } : asked;
  const signal = AbortSignal.any([runOptions.signal, session.closing.signal]);
  const beganAt = performance.now();
  const leave = await session.queue.acquire(signal);
  let trial: Trial | undefined;
  try {
    const walls = await sandbox.open();
    const inSession = runOptions.inSession === true && reachesHosts(walls, options, command);
    const place = await session.place(walls, inSession);
    if (signal.aborted) throw cancelled('command');
    const startedAt = performance.now();
    const beganAtMs = Date.now();
    const started = await startCommand(sandbox, walls, place, command, runOptions, recorder, runner, 'null');
    trial = started.trial;
    const output = keepOutput(started, runOptions);
    const notes = createEndNotes(command, started, walls, runner);
    const stop = new AbortController();
    const withdraw = () => stop.abort(signal.reason);
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    const ending = waitForEnd(started.child, {
      timeoutMs: runOptions.timeoutMs,
      signal: stop.signal,
      most: { ...defaultProcessLimits, ...options.limits },
    });
    const layer = recorder.kind === 'layer' ? recorder : undefined;
    const land =
      layer &&
      ((how: Ending, outputs?: readonly string[]) =>
        landEnded(started, how, {
          recorder: layer,
          outputs,
          command,
          runOptions,
          runner,
          beganAtMs,
          git: walls.git,
          left: leftNames,
        }));
    const left =
      runOptions.handOverMs === undefined ? undefined : runOptions.handOverMs - (startedAt - beganAt);
    const ended = left === undefined ? await ending : await within(ending, Math.max(left, 0));
    if (!ended && left !== undefined && hasRoom(session)) {
      // The call has been answered: the command now ends by its own time limit, the session or a tool.
      signal.removeEventListener('abort', withdraw);
      session.closing.signal.addEventListener('abort', withdraw, { once: true });
      if (session.closing.signal.aborted) withdraw();
      const { child, contacts } = started;
      const printed = output.letGo();
      const going = trial;
      trial = undefined;
      const landing = landGoing(ending, going, layer?.judge, land, (how) => ({
        ...resultOf(started, how, walls, output, []),
        durationMs: Math.round(performance.now() - startedAt),
      }));
      return {
        kind: 'going',
        command: addBackground(session, child, {
          command,
          startedAtMs: Date.now() - (performance.now() - startedAt),
          ending: landing.ending,
          stop: withdraw,
          printed,
          contacts,
          notes: (how, outputs) => [...notes(how, outputs), ...landing.notes()],
        }),
      };
    }
    const how = ended ?? (await ending);
    signal.removeEventListener('abort', withdraw);
    const outputs = output.finish();
    const landed = trial && (await land?.(how, outputs));
    if (how.stoppedBy === 'signal') throw cancelled('command');
    const said = [
      ...notes(how, outputs),
      ...(started.trial?.notes() ?? []),
      ...(landed?.notes ?? []),
      ...(how.stoppedBy ? [] : keep(started, output.report(), runOptions, runner)),
    ];
    const durationMs = Math.round(performance.now() - startedAt);
    const dryRun =
      recorder.kind === 'dry-run' && trial
        ? await readShown(trial, { ...recorder, isFetched: false }, runner)
        : undefined;
    // The owner of the pending layer now lands or discards it.
    const outcome = landed?.outcome;
    if (outcome?.kind === 'held') trial = undefined;
    const result = {
      ...resultOf(started, how, walls, output, said),
      durationMs,
      ...(dryRun && { dryRun }),
      ...(outcome && outcome.kind !== 'held' && outcome.kind !== 'unfit' && { landed: outcome }),
    };
    return { kind: 'ended', result, came: outcome };
  } finally {
    // The removal runs in the background.
    void trial?.close();
    leave();
  }
}

/** Undefined if it takes longer. */
async function within(ending: Promise<Ending>, ms: number): Promise<Ending | undefined> {
  const over = new AbortController();
  // Aborted as soon as the command ends.
  const time = sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const ended = await Promise.race([ending, time]);
  over.abort();
  return ended ?? undefined;
}

/** Keeps the limited part of both streams, counted as they arrive. */
function keepOutput({ child }: StartedCommand, runOptions: RunOptions) {
  const stdout = createOutputKeeper(limits.streamBytes);
  const stderr = createOutputKeeper(limits.streamBytes);
  const out = (chunk: Buffer) => {
    stdout.add(chunk);
    runOptions.onOutput?.('stdout', chunk.length);
  };
  const err = (chunk: Buffer) => {
    stderr.add(chunk);
    runOptions.onOutput?.('stderr', chunk.length);
  };
  child.stdout.on('data', out);
  child.stderr.on('data', err);
  return {
    stdout,
    stderr,
    report: child.report ? collectReport(child.report) : () => undefined,
    /** The whole output as it is shown: errors first. */
    finish: (): readonly string[] => [stderr.finish().text, stdout.finish().text],
    /** The output so far; another reader takes the rest. */
    letGo(): string {
      child.stdout.off('data', out);
      child.stderr.off('data', err);
      return stdout.finish().text + stderr.finish().text;
    },
  };
}

/** Adopts the shell's final folder and variables for the session. */
function keep(
  started: StartedCommand,
  report: Buffer | undefined,
  { inSession, reach }: RunOptions,
  { session, sandbox, options }: Runner,
): readonly string[] {
  if (!inSession) return [];
  const roots = sandbox.roots();
  const base = {
    path: started.environment.PATH ?? '',
    home: started.environment.HOME ?? '',
    roots: roots.all.map((root) => root.hostPath),
  };
  return session.kept.take(report, started, {
    folder(path) {
      // A call that may write only some folders begins only in one of these.
      if (reach && !reach.writable.some((folder) => isInside(path, folder))) return undefined;
      return roots.findFolder(path);
    },
    mayKeep: (name, value) => options.mayKeep?.(name, value, base) ?? false,
  });
}

function framesNotes(count: number): readonly string[] {
  return count === 0
    ? []
    : [`[output: only the last frame of each line; ${counted(count, 'frame')} before it left out]\n`];
}

function resultOf(
  { contacts }: StartedCommand,
  how: Ending,
  walls: Walls,
  { stdout, stderr }: ReturnType<typeof keepOutput>,
  notes: readonly string[],
): Omit<RunResult, 'durationMs'> {
  const network = contacts();
  const out = stdout.finish();
  const err = stderr.finish();
  return {
    exitCode: how.exitCode,
    signal: how.signal,
    timedOut: how.stoppedBy === 'timeout',
    stdout: out.text,
    stderr: [err.text, ...framesNotes(stdout.overwritten + stderr.overwritten), ...notes].join(''),
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    truncated: out.truncated || err.truncated,
    sandbox: walls.backend.name,
    ...(network.length > 0 && { network }),
  };
}
