import type { CommandLife, CommandRecording } from '../contract/capabilities/command-life.ts';
import type { StageSpawn } from '../contract/capabilities/pipeline.ts';
import type {
  CommandLine,
  Commands,
  PublishedPort,
  SandboxName,
  SandboxStatus,
} from '../contract/capabilities/process.ts';
import { limits } from '../contract/limits.ts';
import type { Text } from '../contract/text/text.ts';
import { type CommandGuard, createCommandGuard } from '../git/command-guard.ts';
import type { PersonConfig } from '../git/person-config.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { Publisher } from '../network/publish/publisher.ts';
import type { RunningCommand } from './background.ts';
import type { CommandOptions, CommandsOptions } from './commands-options.ts';
import { type Attending, liveCommand, liveInBackground } from './life.ts';
import { createQueue } from './queue.ts';
import { outsideEnvironment } from './sandbox/environment.ts';
import { heldSettings } from './sandbox/guarded-names.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { keepOutput } from './session/backgrounds.ts';
import { createSession, isBusy, type Runner, type Session } from './session/session.ts';
import { type SettleLeftOptions, settleLeft } from './session/settle-left.ts';
import { whyNoLayer } from './session/trial.ts';
import { shellOf } from './shell.ts';
import type { Toolchains } from './toolchains/find.ts';

/** Commands for all sessions of a server. Starts nothing: the first command chooses and tests the sandbox. */
export class CommandRunner {
  readonly #options: CommandsOptions;
  readonly #sandbox: Sandbox;
  /** No sandbox, for commands that a person let run outside. */
  readonly #outside: Sandbox;
  readonly #git: CommandGuard;
  readonly #sessions = new Map<string, Session>();
  /** Ends of records of commands in the background. */
  readonly #lasts = new Set<Promise<void>>();
  readonly #publisher: Publisher | undefined;
  #isClosed = false;
  #started = 0;
  #shell: Commands['shell'] | undefined;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#sandbox = openSandbox(options);
    this.#outside = openSandbox({ ...options, sandbox: 'off' });
    this.#publisher = options.publish && new Publisher(options.publish);
    this.#git = createCommandGuard({
      writable: () => this.#sandbox.roots().writable,
      held: (runOptions) => heldFor(this.#sandbox, runOptions),
      agreed: options.remoteChanges,
      tell: options.onDisarmed,
    });
  }

  /** `life`: how the effects of its commands are judged and kept; undefined: they are not. */
  forSession(id: string, life?: CommandLife): Commands {
    const options = this.#options;
    const find = () => this.#sessions.get(id);
    const shell = () => this.#shellOf();
    const live = (command: CommandLine, given: Attending) =>
      this.#tracked(id, life, (runner) =>
        liveCommand(command, given, given.outside ? { ...runner, sandbox: this.#outside } : runner),
      );
    return {
      get shell() {
        return shell();
      },
      maxTimeoutMs: options.maxTimeoutMs ?? limits.bashMaxTimeoutMs,
      async run(command, runOptions) {
        const attended = await live(command, { ...runOptions, handOverMs: undefined });
        if (attended.kind === 'going') throw new Error('nothing is handed over where nobody asked for it');
        return attended.result;
      },
      attend: live,
      outsideVariables: () =>
        outsideEnvironment(options.serverEnvironment ?? process.env, {
          allowed: options.environment ?? [],
          roots: this.#sandbox.roots().paths,
          isSecret: options.isSecret,
        }),
      start: (command, runOptions) =>
        this.#tracked(id, life, (runner) => liveInBackground(command, runOptions, runner)),
      kept: () => {
        const kept = find()?.kept;
        const { folder, variables } = kept?.state() ?? { variables: {} };
        const found = folder === undefined ? undefined : this.findFolder(folder);
        if (found === undefined) kept?.dropFolder();
        return { variables, ...(found !== undefined && { folder: found }) };
      },
      keep: (command, output, exitCode) => keepOutput(this.#sessionOf(id), command, output, exitCode),
      background: (commandId) => find()?.backgrounds.get(commandId),
      backgrounds: () => [...(find()?.backgrounds.values() ?? [])],
    };
  }

  /** The host path of a folder in which commands may begin; undefined if they may not begin there. */
  findFolder(folder: string): string | undefined {
    return this.#sandbox.roots().findFolder(folder);
  }

  /** Makes a session's commands begin in such a folder. */
  begin(sessionId: string, folder: string): void {
    this.#sessionOf(sessionId).kept.begin(folder);
  }

  /** Ends the session's commands in the foreground and background. */
  async endSession(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.end();
  }

  /** Ends all commands in the background; those of calls end with their signals. */
  async endBackgrounds(reason: unknown): Promise<void> {
    const going = [...this.#sessions.values()].flatMap(({ backgrounds }) => [...backgrounds.values()]);
    await Promise.all(going.map((each) => each.kill(reason)));
  }

  /** Starts the stages of pipelines, and names their sandbox. Throws `unavailable` without one. */
  async stages(): Promise<{ readonly spawn: StageSpawn; readonly sandbox: SandboxName }> {
    const stages = await this.#sandbox.stages();
    const spawn: StageSpawn = (request) => {
      this.#started += 1;
      return stages.spawn(request);
    };
    return { ...stages, spawn };
  }

  /** Lands or discards the layers that killed servers left. */
  async settleLeft(settling: SettleLeftOptions): Promise<void> {
    const { backend } = await this.#sandbox.open();
    const nothing: CommandLine = { kind: 'program', program: 'true', args: [] };
    for (const left of backend.layers?.left() ?? [])
      await settleLeft(left, settling, (land, names) =>
        this.#git.land(nothing, { workingFolder: left.command.roots[0] ?? '/' }, land, () => names),
      );
  }

  /** Runs each backend's self-test and reports which ones work here. */
  status(): Promise<readonly SandboxStatus[]> {
    return this.#sandbox.status();
  }

  /** Why no command can run on a layer; undefined if one can. */
  async withoutLayer(): Promise<Text | undefined> {
    // Without a sandbox, the command's own start gives the reason.
    const walls = await this.#sandbox.open().catch(() => undefined);
    return walls && whyNoLayer(walls, this.#sandbox.roots().writable);
  }

  /** The person's programs that commands can see. */
  toolchains(): Toolchains {
    return this.#sandbox.toolchains();
  }

  /** The person's git settings that commands do not get. */
  gitSettings(): Promise<Pick<PersonConfig, 'leftOut'>> {
    return this.#sandbox.git();
  }

  /** How many run now, and how many sandboxes were opened so far: one for each command and each stage of a pipeline. */
  counts(): { readonly foreground: number; readonly background: number; readonly started: number } {
    const sessions = [...this.#sessions.values()];
    const going = sessions.flatMap(({ backgrounds }) => [...backgrounds.values()]);
    return {
      foreground: sessions.reduce((sum, { running }) => sum + running.size, 0),
      background: going.filter((one) => one.status().running).length,
      started: this.#started,
    };
  }

  /** The ports that are published now. */
  published(): readonly PublishedPort[] {
    return this.#publisher?.list() ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.keys()].map((id) => this.endSession(id)));
    await Promise.all(this.#lasts);
    await this.#git.close();
    await Promise.all([this.#sandbox.close(), this.#outside.close()]);
  }

  #shellOf(): Commands['shell'] {
    this.#shell ??= shellOf((this.#options.serverEnvironment ?? process.env).PATH);
    return this.#shell;
  }

  #sessionOf(id: string): Session {
    let session = this.#sessions.get(id);
    if (!session) {
      this.#dropIdle();
      const { commandsAtOnce, commandsWaiting } = this.#options;
      session = createSession(
        id,
        createQueue(commandsAtOnce ?? limits.commandsAtOnce, commandsWaiting ?? limits.commandsWaiting),
      );
    }
    session.usedAtMs = Date.now();
    // The newest at the end.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  #dropIdle(): void {
    for (const [id, session] of this.#sessions) {
      if (isBusy(session)) continue;
      if (this.#sessions.size < sessionsAtOnce && Date.now() - session.usedAtMs < sessionIdleMs) continue;
      void this.endSession(id);
    }
  }

  /** Does work of a session, which ends before the session does. */
  #tracked<T>(id: string, life: CommandLife | undefined, work: (runner: Runner) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(cancelled('command'));
    const session = this.#sessionOf(id);
    const working = work({
      session,
      sandbox: this.#sandbox,
      options: this.#options,
      git: this.#git,
      life,
      publisher: this.#publisher,
      follow: (command, recording) => this.#follow(command, recording),
      tracked: (more) => this.#tracked(id, life, more),
      onStart: () => {
        this.#started += 1;
      },
    });
    session.running.add(working);
    const forget = () => session.running.delete(working);
    working.then(forget, forget);
    return working;
  }

  #follow(command: RunningCommand, recording: Pick<CommandRecording, 'end'> | undefined): void {
    if (!recording) return;
    // No call is left to report a failure to; the next server records the kept contents.
    const last = command.ended
      .then(() => recording.end())
      .then(ignore, ignore)
      .finally(() => this.#lasts.delete(last));
    this.#lasts.add(last);
  }
}

/** Empty if the command will not run either. */
async function heldFor(
  sandbox: Sandbox,
  { reach, outside }: Pick<CommandOptions, 'reach' | 'outside'>,
): Promise<readonly string[]> {
  if (outside) return [];
  // Without a sandbox, the command's own start gives the reason.
  const walls = await sandbox.open().catch(() => undefined);
  if (walls?.backend.name !== 'bubblewrap') return [];
  return heldSettings(sandbox.roots().all, reach?.writable ?? []);
}

function ignore(): void {}

/** An HTTP session may never be closed: it ends after this time without use. */
const sessionIdleMs = 8 * 60 * 60 * 1000;
/** Each may keep a gigabyte of memory in its /tmp. */
const sessionsAtOnce = 64;
