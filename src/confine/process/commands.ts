import type { StageSpawn } from '../../contract/capabilities/pipeline.ts';
import type {
  Attended,
  CommandLine,
  Commands,
  HeldLayer,
  RunResult,
  SandboxName,
  SandboxStatus,
} from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import type { Text } from '../../contract/text/text.ts';
import { withHeld } from '../../ground/effects/landing.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { createCommandGuard } from '../git/command-guard.ts';
import type { Named } from '../git/find-repositories.ts';
import type { PersonConfig } from '../git/person-config.ts';
import type { RunningCommand } from './background.ts';
import { waitForEnd } from './child/run-child.ts';
import { reachesHosts, startCommand } from './child/start-command.ts';
import type { CommandOptions, CommandsOptions } from './commands-options.ts';
import { defaultProcessLimits } from './prelude.ts';
import { createQueue } from './queue.ts';
import { heldSettings } from './sandbox/guarded-names.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { attend } from './session/attend.ts';
import { addBackground, assertRoom, keepOutput } from './session/backgrounds.ts';
import { whyNoLayer } from './session/dry-run.ts';
import { createEndNotes } from './session/end-notes.ts';
import { createSession, isBusy, type Runner, type Session } from './session/session.ts';
import { type SettleLeftOptions, settleLeft } from './session/settle-left.ts';
import { whyDirect } from './session/why-direct.ts';
import { whyUnwatched } from './session/why-unwatched.ts';
import { shellOf } from './shell.ts';
import type { Toolchains } from './toolchains/find.ts';

/** Commands for all sessions of a server. */
export interface CommandRunner {
  forSession(sessionId: string): Commands;
  /** The host path of a folder in which commands may begin; undefined if they may not begin there. */
  findFolder(folder: string): string | undefined;
  /** Makes a session's commands begin in such a folder. */
  begin(sessionId: string, folder: string): void;
  /** Ends the session's commands in the foreground and background. */
  endSession(sessionId: string): Promise<void>;
  /** Starts the stages of pipelines, and names their sandbox. Throws `unavailable` without one. */
  stages(): Promise<{ readonly spawn: StageSpawn; readonly sandbox: SandboxName }>;
  /** Lands or discards the layers that killed servers left. */
  settleLeft(settling: SettleLeftOptions): Promise<void>;
  /** Runs each backend's self-test and reports which ones work here. */
  status(): Promise<readonly SandboxStatus[]>;
  /** Why no command can run on a layer; undefined if one can. */
  withoutLayer(): Promise<Text | undefined>;
  /** The person's programs that commands can see. */
  toolchains(): Toolchains;
  /** The person's git settings that commands do not get. */
  gitSettings(): Promise<Pick<PersonConfig, 'leftOut'>>;
  /** How many run now, and how many sandboxes were opened so far: one for each command and each stage of a pipeline. */
  counts(): { readonly foreground: number; readonly background: number; readonly started: number };
  close(): Promise<void>;
}

/** Starts nothing: the first command chooses and tests the sandbox. */
export function openCommands(options: CommandsOptions): CommandRunner {
  const sandbox = openSandbox(options);
  const git = createCommandGuard({
    writable: () => sandbox.roots().writable,
    held: (runOptions) => heldFor(sandbox, runOptions),
    agreed: options.remoteChanges,
    tell: options.onDisarmed,
  });
  const sessions = new Map<string, Session>();
  let closed = false;
  let started = 0;
  /** The sandbox is opened once for each command. */
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
      dropIdle();
      session = createSession(
        createQueue(
          options.commandsAtOnce ?? limits.commandsAtOnce,
          options.commandsWaiting ?? limits.commandsWaiting,
        ),
      );
    }
    session.usedAtMs = Date.now();
    // The newest at the end.
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  }

  function dropIdle(): void {
    for (const [id, session] of sessions) {
      if (isBusy(session)) continue;
      if (sessions.size < sessionsAtOnce && Date.now() - session.usedAtMs < sessionIdleMs) continue;
      void endSession(id);
    }
  }

  async function endSession(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.end();
  }

  /** Tracks work of a session: it ends before the session does. */
  function tracked<T>(id: string, work: (runner: Runner) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(cancelled('command'));
    const session = sessionOf(id);
    const working = work({ session, sandbox: counting, options });
    session.running.add(working);
    const forget = () => session.running.delete(working);
    working.then(forget, forget);
    return working;
  }

  async function attendGuarded(
    id: string,
    command: CommandLine,
    runOptions: Parameters<typeof attend>[1],
    runner: Runner,
  ): Promise<Attended> {
    // A dry run plants nothing.
    if (runOptions.dryRun) return attend(command, runOptions, runner);
    // Before all folders are searched: without a sandbox no search is needed.
    await sandbox.open();
    const left: Named[] | undefined = runOptions.landing && [];
    const { onHeld } = runOptions;
    const guarded = (layer: HeldLayer): HeldLayer => ({
      ...layer,
      land: (keeper) =>
        tracked(id, () => git.land(command, runOptions, () => layer.land(keeper), left ?? [])),
    });
    const options = {
      ...runOptions,
      onHeld: onHeld && ((layer: HeldLayer, result: RunResult) => onHeld(guarded(layer), result)),
    };
    const attended = await git.attend(
      command,
      runOptions,
      () => attend(command, options, runner, left),
      left,
    );
    return withHeld(attended, guarded);
  }

  return {
    forSession: (id) => ({
      get shell() {
        shell ??= shellOf((options.serverEnvironment ?? process.env).PATH);
        return shell;
      },
      maxTimeoutMs: options.maxTimeoutMs ?? limits.bashMaxTimeoutMs,
      run: (command, runOptions) =>
        tracked(id, async (runner) => {
          const attended = await attendGuarded(id, command, { ...runOptions, handOverMs: undefined }, runner);
          if (attended.kind === 'going') throw new Error('nothing is handed over where nobody asked for it');
          return attended.result;
        }),
      attend: (command, runOptions) =>
        tracked(id, (runner) => attendGuarded(id, command, runOptions, runner)),
      whyDirect: (command, runOptions) => tracked(id, (runner) => whyDirect(command, runOptions, runner)),
      // Without a sandbox, the command's own start gives the reason.
      async whyUnwatched(command) {
        const walls = await sandbox.open().catch(() => undefined);
        return walls && whyUnwatched(walls.backend, command, options.commandsIn);
      },
      kept() {
        const { folder, variables } = sessions.get(id)?.kept.state() ?? { variables: {} };
        // The folder may have been removed since.
        const found = folder === undefined ? undefined : sandbox.roots().findFolder(folder);
        return { variables, ...(found !== undefined && { folder: found }) };
      },
      start: (command, runOptions) =>
        tracked(id, (runner) => git.start(command, runOptions, () => start(command, runOptions, runner))),
      keep: (command, output, exitCode) => keepOutput(sessionOf(id), command, output, exitCode),
      background: (commandId) => sessions.get(id)?.backgrounds.get(commandId),
      backgrounds: () => [...(sessions.get(id)?.backgrounds.values() ?? [])],
    }),
    findFolder: (folder) => sandbox.roots().findFolder(folder),
    begin: (id, folder) => sessionOf(id).kept.begin(folder),
    endSession,
    async stages() {
      const stages = await sandbox.stages();
      const spawn: StageSpawn = (request) => {
        started += 1;
        return stages.spawn(request);
      };
      return { ...stages, spawn };
    },
    async settleLeft(settling) {
      const { backend } = await sandbox.open();
      for (const left of backend.leftLayers?.() ?? [])
        await settleLeft(left, settling, (land, names) =>
          git.land(
            { kind: 'program', program: 'true', args: [] },
            { workingFolder: left.command.roots[0] ?? '/' },
            land,
            names,
          ),
        );
    },
    counts: () => ({
      foreground: sumOf(sessions, ({ running }) => running.size),
      background: sumOf(
        sessions,
        ({ backgrounds }) => [...backgrounds.values()].filter((one) => one.status().running).length,
      ),
      started,
    }),
    status: () => sandbox.status(),
    async withoutLayer() {
      // Without a sandbox, the command's own start gives the reason.
      const walls = await sandbox.open().catch(() => undefined);
      return walls && whyNoLayer(walls, sandbox.roots().writable);
    },
    toolchains: () => sandbox.toolchains(),
    gitSettings: () => sandbox.git(),
    async close() {
      closed = true;
      await Promise.all([...sessions.keys()].map(endSession));
      await git.close();
      await sandbox.close();
    },
  };
}

/** Empty if the command will not run either. */
async function heldFor(
  sandbox: Sandbox,
  { workingFolder, writable }: CommandOptions,
): Promise<readonly string[]> {
  // Without a sandbox, the command's own start gives the reason.
  const walls = await sandbox.open().catch(() => undefined);
  const folder = sandbox.roots().findFolder(workingFolder);
  if (walls?.backend.name !== 'bubblewrap' || folder === undefined) return [];
  return heldSettings(sandbox.roots().all, { workingFolder: folder, writable: writable ?? [] });
}

function sumOf(sessions: ReadonlyMap<string, Session>, count: (session: Session) => number): number {
  return sessions.values().reduce((sum, session) => sum + count(session), 0);
}

async function start(
  command: CommandLine,
  runOptions: CommandOptions,
  runner: Runner,
): Promise<RunningCommand> {
  const { session, sandbox, options } = runner;
  assertRoom(session);
  const walls = await sandbox.open();
  const inSession = runOptions.inSession === true && reachesHosts(walls, options, command);
  const place = await session.place(walls, inSession);
  const begun = await startCommand(sandbox, walls, place, command, runOptions, runner, 'pipe');
  const { child, contacts } = begun;
  const { onOutput } = runOptions;
  if (onOutput) {
    child.stdout.on('data', (chunk) => onOutput('stdout', chunk.length));
    child.stderr.on('data', (chunk) => onOutput('stderr', chunk.length));
  }
  const stop = new AbortController();
  const ending = waitForEnd(child, {
    timeoutMs: options.maxBackgroundMs ?? defaultMaxBackgroundMs,
    signal: stop.signal,
    most: { ...defaultProcessLimits, ...options.limits },
  });
  const background = addBackground(session, child, {
    command,
    startedAtMs: Date.now(),
    keepBytes: runOptions.maxStreamBytes,
    ending,
    stop: () => stop.abort(),
    contacts,
    notes: createEndNotes(command, begun, walls, runner),
  });
  // The session may have ended during the start.
  if (session.closing.signal.aborted) {
    await background.kill();
    throw cancelled('command');
  }
  return background;
}

const defaultMaxBackgroundMs = 60 * 60 * 1000;
/** An HTTP session may never be closed: it ends after this time without use. */
const sessionIdleMs = 8 * 60 * 60 * 1000;
/** Each may keep a gigabyte of memory in its /tmp. */
const sessionsAtOnce = 64;
