import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import type { StageSpawn } from '../../contract/pipeline.ts';
import type {
  CommandLine,
  Commands,
  RunOptions,
  RunResult,
  SandboxName,
  SandboxStatus,
} from '../../contract/process.ts';
import { text } from '../../contract/text.ts';
import { cancelled } from '../../ground/cancelled.ts';
import type { Semaphore } from '../../ground/semaphore.ts';
import { type RunningCommand, watchBackground } from './background.ts';
import { waitForEnd } from './child/run-child.ts';
import { isCutOff, startCommand } from './child/start-command.ts';
import type { CommandsOptions, Order } from './commands-options.ts';
import { cutOffNotes } from './cut-off.ts';
import { keptOutput } from './kept-output.ts';
import { networkNotes } from './network-notes.ts';
import { createOutputKeeper } from './output.ts';
import { defaultProcessLimits } from './prelude.ts';
import { createQueue } from './queue.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { shellOf } from './shell.ts';

/** Commands for all sessions of a server. */
export interface CommandRunner {
  forSession(sessionId: string): Commands;
  /** Ends what the session runs, in the foreground and the background. */
  endSession(sessionId: string): Promise<void>;
  /** What starts the stages of pipelines, and behind which walls. Throws `unavailable` where there are none. */
  stages(): Promise<{ readonly spawn: StageSpawn; readonly sandbox: SandboxName }>;
  /** What can confine a command here; tries each by its self-test. */
  status(): Promise<readonly SandboxStatus[]>;
  /** How many run now, and how many walls were put up so far: one a command, and one a stage of a pipeline. */
  counts(): { readonly foreground: number; readonly background: number; readonly started: number };
  close(): Promise<void>;
}

/** Starts nothing: the sandbox is chosen and tested when the first command comes. */
export function openCommands(options: CommandsOptions): CommandRunner {
  const sandbox = openSandbox(options);
  const sessions = new Map<string, Session>();
  let closed = false;
  let started = 0;
  /** Walls are opened once for each command. */
  const counting: Sandbox = {
    ...sandbox,
    open() {
      started += 1;
      return sandbox.open();
    },
  };
  let shell: Commands['shell'] | undefined;

  function sessionOf(id: string): Session {
    let session = sessions.get(id);
    if (!session) {
      session = {
        queue: createQueue(
          options.commandsAtOnce ?? limits.commandsAtOnce,
          options.commandsWaiting ?? limits.commandsWaiting,
        ),
        closing: new AbortController(),
        running: new Set(),
        backgrounds: new Map(),
        started: 0,
      };
      sessions.set(id, session);
    }
    return session;
  }

  async function endSession(id: string): Promise<void> {
    const session = sessions.get(id);
    if (!session) return;
    sessions.delete(id);
    session.closing.abort();
    await Promise.allSettled([
      ...session.running,
      ...[...session.backgrounds.values()].map((command) => command.kill().then(() => command.ended)),
    ]);
  }

  return {
    forSession: (id) => ({
      get shell() {
        shell ??= shellOf((options.serverEnvironment ?? process.env).PATH);
        return shell;
      },
      run: (command, order) => {
        if (closed) return Promise.reject(cancelled('command'));
        const session = sessionOf(id);
        const work = run(command, order, session, counting, options);
        session.running.add(work);
        const forget = () => session.running.delete(work);
        work.then(forget, forget);
        return work;
      },
      start: (command, order) =>
        closed
          ? Promise.reject(cancelled('command'))
          : start(command, order, sessionOf(id), counting, options),
      keep: (command, output, exitCode) => keep(sessionOf(id), command, output, exitCode),
      background: (commandId) => sessions.get(id)?.backgrounds.get(commandId),
      backgrounds: () => [...(sessions.get(id)?.backgrounds.values() ?? [])],
    }),
    endSession,
    async stages() {
      const stages = await sandbox.stages();
      const spawn: StageSpawn = (request) => {
        started += 1;
        return stages.spawn(request);
      };
      return { ...stages, spawn };
    },
    counts: () => ({
      foreground: sumOf(sessions, ({ running }) => running.size),
      background: sumOf(sessions, ({ backgrounds }) => [...backgrounds.values()].filter(isRunning).length),
      started,
    }),
    status: () => sandbox.status(),
    async close() {
      closed = true;
      await Promise.all([...sessions.keys()].map(endSession));
      await sandbox.close();
    },
  };
}

/** What one session runs. It ends with the session. */
interface Session {
  readonly queue: Semaphore;
  readonly closing: AbortController;
  readonly running: Set<Promise<RunResult>>;
  readonly backgrounds: Map<string, RunningCommand>;
  started: number;
}

function sumOf(sessions: ReadonlyMap<string, Session>, count: (session: Session) => number): number {
  return sessions.values().reduce((sum, session) => sum + count(session), 0);
}

function isRunning(command: RunningCommand): boolean {
  return command.status().running;
}

async function run(
  command: CommandLine,
  order: RunOptions,
  session: Session,
  sandbox: Sandbox,
  options: CommandsOptions,
): Promise<RunResult> {
  const signal = AbortSignal.any([order.signal, session.closing.signal]);
  const leave = await session.queue.acquire(signal);
  try {
    const walls = await sandbox.open();
    const maxBytes = order.maxStreamBytes ?? limits.streamBytes;
    const stdout = createOutputKeeper(maxBytes);
    const stderr = createOutputKeeper(maxBytes);
    if (signal.aborted) throw cancelled('command');
    const startedAt = performance.now();
    const { child, contacts } = await startCommand(sandbox, walls, command, order, options, 'null');
    child.stdout.on('data', (chunk) => {
      stdout.add(chunk);
      order.onOutput?.('stdout', chunk.length);
    });
    child.stderr.on('data', (chunk) => {
      stderr.add(chunk);
      order.onOutput?.('stderr', chunk.length);
    });
    const ending = await waitForEnd(child, {
      timeoutMs: order.timeoutMs,
      signal,
      maxProcesses: options.limits?.processes ?? defaultProcessLimits.processes,
    });
    if (ending.stoppedBy === 'signal') throw cancelled('command');
    const network = contacts();
    const out = stdout.finish();
    const err = stderr.finish();
    const failedAlone = ending.exitCode !== 0 && isCutOff(walls, options);
    const notes = [
      ...(ending.stoppedBy === 'crowd' ? ['[stopped: too many processes]\n'] : []),
      ...networkNotes(network, options.network?.key),
      ...(failedAlone ? cutOffNotes([err.text, out.text], options.network?.key) : []),
    ];
    return {
      exitCode: ending.exitCode,
      signal: ending.signal,
      timedOut: ending.stoppedBy === 'timeout',
      stdout: out.text,
      stderr: [err.text, ...notes].join(''),
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      truncated: out.truncated || err.truncated,
      durationMs: Math.round(performance.now() - startedAt),
      sandbox: walls.backend.name,
      ...(network.length > 0 && { network }),
    };
  } finally {
    leave();
  }
}

async function start(
  command: CommandLine,
  order: Order,
  session: Session,
  sandbox: Sandbox,
  options: CommandsOptions,
): Promise<RunningCommand> {
  makeRoom(session);
  const walls = await sandbox.open();
  const { child, contacts } = await startCommand(sandbox, walls, command, order, options, 'pipe');
  session.started++;
  const background = watchBackground(child, {
    id: `p${session.started}`,
    command: wordsOf(command),
    startedAtMs: Date.now(),
    keepBytes: order.maxStreamBytes ?? limits.streamBytes,
    maxMs: options.maxBackgroundMs ?? defaultMaxBackgroundMs,
    maxProcesses: options.limits?.processes ?? defaultProcessLimits.processes,
    onOutput: order.onOutput,
    contacts,
  });
  session.backgrounds.set(background.id, background);
  // The session may have ended while the child was starting.
  if (session.closing.signal.aborted) {
    await background.kill();
    throw cancelled('command');
  }
  return background;
}

function keep(session: Session, command: CommandLine, output: string, exitCode: number): string | undefined {
  if (!hasRoom(session)) return undefined;
  session.started++;
  const id = `p${session.started}`;
  const startedAtMs = Date.now();
  session.backgrounds.set(id, keptOutput({ id, command: wordsOf(command), startedAtMs, output, exitCode }));
  return id;
}

function wordsOf(command: CommandLine): string {
  return command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
}

const defaultMaxBackgroundMs = 60 * 60 * 1000;
const backgroundsAtOnce = 16;

/** Forgets the oldest that ended; false where all still run. */
function hasRoom({ backgrounds }: Session): boolean {
  if (backgrounds.size < backgroundsAtOnce) return true;
  const ended = [...backgrounds.values()].find((command) => !command.status().running);
  return ended !== undefined && backgrounds.delete(ended.id);
}

function makeRoom(session: Session): void {
  if (hasRoom(session)) return;
  throw new ToolError(
    'rate_limited',
    text(
      `${backgroundsAtOnce} background commands are running.`,
      `${backgroundsAtOnce} 件のバックグラウンドコマンドが実行中です。`,
    ),
    {
      suggestion: text('End one of them first.', '先にどれかを終了してください。'),
      details: { retry_after_ms: 1000 },
    },
  );
}
