import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandLine, RunOptions, RunResult } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import type { Named } from '../../git/find-repositories.ts';
import { counted } from '../../ground/counted.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { isInside } from '../../ground/inside.ts';
import { personStops } from '../../ground/waiting/abort.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { RunningCommand } from '../background.ts';
import { collectReport } from '../child/report.ts';
import { type Ending, waitForEnd } from '../child/run-child.ts';
import { reachesHosts, type StartedCommand, startCommand } from '../child/start-command.ts';
import type { CommandOptions } from '../commands-options.ts';
import { createOutputKeeper } from '../output/output.ts';
import { defaultProcessLimits } from '../prelude.ts';
import { addBackground, assertRoom, hasRoom } from './backgrounds.ts';
import { createEndNotes } from './end-notes.ts';
import { tellOfGpu } from './gpu-note.ts';
import { type Asked, type Came, type EndedLanding, landEnded, landGoing, readShown } from './land-ended.ts';
import type { Recorder } from './recorder.ts';
import type { Runner } from './session.ts';
import type { Trial } from './trial.ts';

/** A command that has ended, with what came of its layer if it had one, or that goes on in the background. */
export type Ran =
  | { readonly kind: 'ended'; readonly result: RunResult; readonly came?: Came | undefined }
  | { readonly kind: 'going'; readonly command: RunningCommand };

/** Runs a command until it ends, or goes on after `handOverMs`. `left` takes landed names that lead to a repository. */
export async function attend(
  command: CommandLine,
  asked: RunOptions & { readonly handOverMs?: number | undefined },
  recorder: Recorder,
  runner: Runner,
  left: Named[] = [],
): Promise<Ran> {
  // A dry run must not write to the session's shared files, nor outlive its call.
  const isDry = recorder.kind === 'dry-run';
  const runOptions = isDry ? { ...asked, inSession: false, handOverMs: undefined } : asked;
  const { handOverMs } = runOptions;
  const signal = AbortSignal.any([runOptions.signal, runner.session.closing.signal]);
  const beganAt = performance.now();
  const leave = await runner.session.queue.acquire(signal);
  using _ = defer(leave);
  const begun = await begin(command, runOptions, recorder, runner, 'null', signal);
  using attendance = new Attendance({ command, runOptions, recorder, runner, left }, begun, signal);
  const waited = begun.startedAt - beganAt;
  return await attendance.follow(handOverMs === undefined ? undefined : Math.max(handOverMs - waited, 0));
}

/** Starts a command that outlasts its call. */
export async function startInBackground(
  command: CommandLine,
  runOptions: CommandOptions,
  recorder: Recorder,
  runner: Runner,
): Promise<RunningCommand> {
  const { session, options } = runner;
  assertRoom(session);
  const { started, walls, notes } = await begin(command, runOptions, recorder, runner, 'pipe');
  const { child, contacts, published } = started;
  const { onOutput } = runOptions;
  if (onOutput) {
    child.stdout.on('data', (chunk) => onOutput('stdout', chunk.length));
    child.stderr.on('data', (chunk) => onOutput('stderr', chunk.length));
  }
  const stop = new AbortController();
  const background = addBackground(session, command, Date.now(), {
    child,
    ending: waitForEnd(child, {
      timeoutMs: options.maxBackgroundMs ?? defaultMaxBackgroundMs,
      signal: stop.signal,
      most: { ...defaultProcessLimits, ...options.limits },
    }),
    stop: (reason) => stop.abort(reason),
    published,
    contacts,
    notes,
  });
  tellOfGpu(child, walls, runner);
  // The session may have ended during the start.
  if (session.closing.signal.aborted) {
    await background.kill();
    throw cancelled('command');
  }
  return background;
}

type Begun = Awaited<ReturnType<typeof begin>>;

async function begin(
  command: CommandLine,
  runOptions: CommandOptions,
  recorder: Recorder,
  runner: Runner,
  stdin: 'null' | 'pipe',
  signal?: AbortSignal,
) {
  const { session, sandbox, options } = runner;
  const walls = await sandbox.open();
  const inSession = runOptions.inSession === true && reachesHosts(walls, options, command);
  const place = await session.place(walls, inSession);
  if (signal?.aborted) throw cancelled('command');
  const [startedAt, beganAtMs] = [performance.now(), Date.now()];
  const started = await startCommand(sandbox, walls, place, command, runOptions, recorder, runner, stdin);
  const { sent } = runner.life ?? {};
  if (sent)
    void started.child.exited.then(() => {
      sent(started.contacts().reduce((sum, { sentBytes }) => sum + sentBytes, 0));
    });
  const notes = createEndNotes(command, started, walls, runner);
  return { started, walls, notes, startedAt, beganAtMs };
}

/** A command that has started. Its layer is removed in the background, unless somebody else owns it at the end. */
class Attendance implements Disposable {
  readonly #asked: Asked;
  readonly #begun: Begun;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #ending: Promise<Ending>;
  readonly #output: ReturnType<typeof keepOutput>;
  #trial: Trial | undefined;

  constructor(asked: Asked, begun: Begun, signal: AbortSignal) {
    this.#asked = asked;
    this.#begun = begun;
    this.#signal = signal;
    const { runOptions, runner } = asked;
    const { started } = begun;
    this.#trial = started.trial;
    this.#output = keepOutput(started, runOptions);
    tellOfGpu(started.child, begun.walls, runner);
    this.#withdrawWith(signal);
    this.#ending = waitForEnd(started.child, {
      timeoutMs: runOptions.timeoutMs,
      signal: this.#stop.signal,
      most: { ...defaultProcessLimits, ...runner.options.limits },
    });
  }

  /** Until it ends, or for this time. */
  async follow(forMs: number | undefined): Promise<Ran> {
    const ended = forMs === undefined ? await this.#ending : await within(this.#ending, forMs);
    if (!ended && hasRoom(this.#asked.runner.session)) return { kind: 'going', command: this.#goOn() };
    return await this.#end(ended ?? (await this.#ending));
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#withdraw);
    void this.#trial?.close();
  }

  readonly #withdraw = () => this.#stop.abort(this.#signal.reason);

  #withdrawWith(signal: AbortSignal): void {
    signal.addEventListener('abort', this.#withdraw, { once: true });
    if (signal.aborted) this.#withdraw();
  }

  /** The call has been answered: the command now ends by its own time limit, the session or a tool. */
  #goOn(): RunningCommand {
    const { command, recorder, runner } = this.#asked;
    const { started, notes } = this.#begun;
    this.#signal.removeEventListener('abort', this.#withdraw);
    this.#withdrawWith(runner.session.closing.signal);
    const printed = this.#output.letGo();
    const trial = this.#trial;
    this.#trial = undefined;
    const judge = recorder.kind === 'layer' ? recorder.judge : undefined;
    const land = (how: Ending) => this.#land(how);
    const landing = landGoing(this.#ending, trial, judge, land, (how) => this.#resultOf(how, []));
    return addBackground(runner.session, command, Date.now() - (performance.now() - this.#begun.startedAt), {
      child: started.child,
      ending: landing.ending,
      stop: (reason) => this.#stop.abort(reason),
      printed,
      published: started.published,
      contacts: started.contacts,
      notes: (how, outputs) => [...notes(how, outputs), ...landing.notes()],
    });
  }

  async #end(how: Ending): Promise<Ran> {
    const { recorder, runner } = this.#asked;
    const { started, notes } = this.#begun;
    this.#signal.removeEventListener('abort', this.#withdraw);
    const outputs = this.#output.finish();
    const landed = this.#trial && recorder.kind === 'layer' ? await this.#land(how, outputs) : undefined;
    if (how.stoppedBy === 'signal') throw cancelled('command');
    const said = [
      ...started.published.all,
      ...notes(how, outputs),
      ...(started.trial?.notes() ?? []),
      ...(landed?.notes ?? []),
      ...(how.stoppedBy ? [] : this.#keep()),
    ];
    const result = this.#resultOf(how, said);
    const dryRun =
      recorder.kind === 'dry-run' && this.#trial
        ? await readShown(this.#trial, { ...recorder, isFetched: false }, runner)
        : undefined;
    // The owner of the pending layer now lands or discards it.
    const outcome = landed?.outcome;
    if (outcome?.kind === 'held') this.#trial = undefined;
    const came = outcome && outcome.kind !== 'held' && outcome.kind !== 'unfit' && { landed: outcome };
    return { kind: 'ended', result: { ...result, ...(dryRun && { dryRun }), ...came }, came: outcome };
  }

  #land(how: Ending, outputs?: readonly string[]): Promise<EndedLanding> {
    const { recorder } = this.#asked;
    if (recorder.kind !== 'layer') throw new Error('only what runs on a layer lands');
    const { started, beganAtMs, walls } = this.#begun;
    const { runOptions } = this.#asked;
    const fate = this.#stop.signal.reason === personStops ? 'discard' : runOptions.fate;
    const ended = { ...this.#asked, runOptions: { ...runOptions, fate } };
    return landEnded(started, how, { ...ended, recorder, outputs, beganAtMs, git: walls.git });
  }

  /** Adopts the shell's final folder and variables for the session. */
  #keep(): readonly string[] {
    const { runOptions, runner } = this.#asked;
    if (!runOptions.inSession) return [];
    const { started } = this.#begun;
    const { session, sandbox, options } = runner;
    const roots = sandbox.roots();
    const base = {
      path: started.environment.PATH ?? '',
      home: started.environment.HOME ?? '',
      roots: roots.paths,
    };
    return session.kept.take(this.#output.report(), started, {
      folder(path) {
        // A call that may write only some folders begins only in one of these.
        const { reach } = runOptions;
        if (reach && !reach.writable.some((folder) => isInside(path, folder))) return undefined;
        return roots.findFolder(path);
      },
      mayKeep: (name, value) => options.mayKeep?.(name, value, base) ?? false,
    });
  }

  #resultOf(how: Ending, notes: readonly string[]): RunResult {
    const { started, walls, startedAt } = this.#begun;
    const { stdout, stderr } = this.#output;
    const network = started.contacts();
    const [out, err] = [stdout.finish(), stderr.finish()];
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
      durationMs: Math.round(performance.now() - startedAt),
      ...(network.length > 0 && { network }),
    };
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

function framesNotes(count: number): readonly string[] {
  return count === 0
    ? []
    : [`[output: only the last frame of each line; ${counted(count, 'frame')} before it left out]\n`];
}

const defaultMaxBackgroundMs = 60 * 60 * 1000;
