import type { CommandLife, CommandRecording } from '../contract/capabilities/command-life.ts';
import type { StageSpawn } from '../contract/capabilities/pipeline.ts';
import type {
  BackgroundCommand,
  Commands,
  SandboxName,
  SandboxStatus,
} from '../contract/capabilities/process.ts';
import { limits } from '../contract/limits.ts';
import type { Text } from '../contract/text/text.ts';
import { createCommandGuard } from '../git/command-guard.ts';
import type { PersonConfig } from '../git/person-config.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import type { CommandOptions, CommandsOptions } from './commands-options.ts';
import { liveCommand, liveInBackground } from './life.ts';
import { createQueue } from './queue.ts';
import { heldSettings } from './sandbox/guarded-names.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { keepOutput } from './session/backgrounds.ts';
import { whyNoLayer } from './session/dry-run.ts';
import { createSession, isBusy, type Runner, type Session } from './session/session.ts';
import { type SettleLeftOptions, settleLeft } from './session/settle-left.ts';
import { shellOf } from './shell.ts';
import type { Toolchains } from './toolchains/find.ts';

/** Commands for all sessions of a server. */
export interface CommandRunner {
  /** `life`: how the effects of its commands are judged and kept; undefined: they are not. */
  forSession(sessionId: string, life?: CommandLife): Commands;
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
  const lasts = new Set<Promise<void>>();
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
  function tracked<T>(id: string, work: (session: Session) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(cancelled('command'));
    const session = sessionOf(id);
    const working = work(session);
    session.running.add(working);
    const forget = () => session.running.delete(working);
    working.then(forget, forget);
    return working;
  }

  function follow(command: BackgroundCommand, recording: Pick<CommandRecording, 'end'> | undefined): void {
    if (!recording) return;
    // No call is left to report a failure to; the next server records the kept contents.
    const last = ended(command)
      .then(() => recording.end())
      .then(ignore, ignore)
      .finally(() => lasts.delete(last));
    lasts.add(last);
  }

  function withRunner<T>(
    id: string,
    life: CommandLife | undefined,
    work: (runner: Runner) => Promise<T>,
  ): Promise<T> {
    return tracked(id, (session) =>
      work({
        session,
        sandbox,
        options,
        git,
        life,
        follow,
        tracked: (more) => tracked(id, more),
        onStart: () => {
          started += 1;
        },
      }),
    );
  }

  return {
    forSession: (id, life) => ({
      get shell() {
        shell ??= shellOf((options.serverEnvironment ?? process.env).PATH);
        return shell;
      },
      maxTimeoutMs: options.maxTimeoutMs ?? limits.bashMaxTimeoutMs,
      async run(command, runOptions) {
        const given = { ...runOptions, handOverMs: undefined };
        const attended = await withRunner(id, life, (runner) => liveCommand(command, given, runner));
        if (attended.kind === 'going') throw new Error('nothing is handed over where nobody asked for it');
        return attended.result;
      },
      attend: (command, runOptions) =>
        withRunner(id, life, (runner) => liveCommand(command, runOptions, runner)),
      start: (command, runOptions) =>
        withRunner(id, life, (runner) => liveInBackground(command, runOptions, runner)),
      kept() {
        const kept = sessions.get(id)?.kept;
        const { folder, variables } = kept?.state() ?? { variables: {} };
        const found = folder === undefined ? undefined : sandbox.roots().findFolder(folder);
        if (found === undefined) kept?.dropFolder();
        return { variables, ...(found !== undefined && { folder: found }) };
      },
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
            () => names,
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
      await Promise.all(lasts);
      await git.close();
      await sandbox.close();
    },
  };
}

/** Empty if the command will not run either. */
async function heldFor(
  sandbox: Sandbox,
  { reach }: Pick<CommandOptions, 'reach'>,
): Promise<readonly string[]> {
  // Without a sandbox, the command's own start gives the reason.
  const walls = await sandbox.open().catch(() => undefined);
  if (walls?.backend.name !== 'bubblewrap') return [];
  return heldSettings(sandbox.roots().all, reach?.writable ?? []);
}

function sumOf(sessions: ReadonlyMap<string, Session>, count: (session: Session) => number): number {
  return sessions.values().reduce((sum, session) => sum + count(session), 0);
}

async function ended(command: BackgroundCommand): Promise<void> {
  const never = new AbortController().signal;
  while (command.status().running) await command.wait(lookEveryMs, never);
}

function ignore(): void {}

const lookEveryMs = 60_000;
/** An HTTP session may never be closed: it ends after this time without use. */
const sessionIdleMs = 8 * 60 * 60 * 1000;
/** Each may keep a gigabyte of memory in its /tmp. */
const sessionsAtOnce = 64;
