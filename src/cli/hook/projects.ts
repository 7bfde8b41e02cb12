import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { localeOf } from '../../config/locale.ts';
import { configPathOf, homeOf } from '../../config/places/state.ts';
import { runtimeOf } from '../../config/runtime.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { HookInputError, type Said } from '../../hooks/event.ts';
import { Gate, type GateOptions, type RunRequest } from '../../hooks/gate.ts';
import { startedIn } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { noHooks } from '../container/not-inside.ts';
import { identityOf, type SharedCheckpoints } from '../resident/checkpoints.ts';
import { readServeArguments } from '../resident/session.ts';
import { openServed } from '../serving/client-session.ts';
import { isUnnamed, settingsAtStart } from '../serving/working-folder.ts';
import { answerEvent, answerRun, type EventRequest, type HookProject, inBytes, readEvent } from './answer.ts';
import { forHooks } from './shell.ts';

interface OpenProject extends HookProject {
  close(): Promise<void>;
}

interface Known {
  readonly args: string;
  readonly roots: readonly string[];
  /** The configuration and the folders as they were when the settings were read. */
  readonly seen: string;
  readonly config: string;
  readonly project: Promise<OpenProject>;
  usedAtMs: number;
}

/**
 * The projects that a server decides for hooks in: each has a checkpoint, which is opened at its first hook. A
 * conversation that moves to another folder of its project keeps its variables and its /tmp.
 */
export class HookProjects {
  readonly #checkpoints: SharedCheckpoints;
  readonly #runBy: GateOptions['runBy'];
  readonly #open = new Set<Known>();
  readonly #bySession = new Map<string, Known>();

  constructor(checkpoints: SharedCheckpoints, runBy: GateOptions['runBy']) {
    this.#checkpoints = checkpoints;
    this.#runBy = runBy;
  }

  /** The conversations that a project is open for. */
  get conversations(): number {
    return this.#bySession.size;
  }

  /** The answer to the words of a hook. Throws if they are none. */
  async answer(words: string, environment: NodeJS.ProcessEnv): Promise<Buffer> {
    const request = readEvent(words);
    if (!request) throw new Error('these are no words of a hook');
    const of = (session: string) => this.#of(session, request, environment);
    return inBytes(await answerEvent(request, { of }, localeOf(environment)));
  }

  async run(request: RunRequest, environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Said> {
    const settled = await Promise.allSettled([...this.#open].map(({ project }) => project));
    const projects = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    return answerRun(request, projects, { signal, locale: localeOf(environment) });
  }

  /** Closes what no conversation has used for a while. */
  async closeIdle(): Promise<void> {
    for (const known of this.#open) {
      if (performance.now() - known.usedAtMs < idleMs) continue;
      const { gate, close } = await known.project;
      if (gate.openCalls() > 0) continue;
      this.#forget(known);
      await close();
    }
  }

  /** The project of a hook: that of its conversation, as long as the client's folder is in it. */
  async #of(session: string, { args, folder }: EventRequest, environment: NodeJS.ProcessEnv) {
    const given = JSON.stringify(args);
    const isFor = (known: Known) => known.args === given && known.seen === lookAt(known.config, known.roots);
    const present = this.#bySession.get(session);
    const known =
      present?.roots.some((root) => isInside(folder, root)) && isFor(present)
        ? present
        : this.#at(args, folder, environment, isFor);
    known.usedAtMs = performance.now();
    this.#bySession.delete(session);
    this.#bySession.set(session, known);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > mostSessions && oldest !== undefined) this.#bySession.delete(oldest);
    return known.project;
  }

  /** The project of a folder. Throws if its settings are wrong. */
  #at(
    args: readonly string[],
    folder: string,
    environment: NodeJS.ProcessEnv,
    isFor: (known: Known) => boolean,
  ): Known {
    const { flags: given } = read(args);
    const flags = { ...given, config: configOf(given, folder) };
    if (runtimeOf(flags, environment, process.platform).runtime !== 'host') throw new HookInputError(noHooks);
    const settings = settingsAtStart(flags, folder, { ...environment, PWD: folder });
    const roots = settings.roots.map(({ path }) => path);
    const found = [...this.#open].find((each) => each.roots.join('\0') === roots.join('\0') && isFor(each));
    if (found) return found;
    const config = configPathOf(flags.config, environment, homeOf(environment), folder);
    const known = {
      args: JSON.stringify(args),
      roots,
      config,
      seen: lookAt(config, roots),
      project: this.#openFor(settings, args, folder, environment),
      usedAtMs: performance.now(),
    };
    this.#open.add(known);
    // A failed opening is tried again at the next hook.
    known.project.catch(() => this.#forget(known));
    return known;
  }

  async #openFor(
    settings: Settings,
    args: readonly string[],
    folder: string,
    environment: NodeJS.ProcessEnv,
  ): Promise<OpenProject> {
    const place = { ...read(args), cwd: folder, started: startedIn(folder, environment) };
    const hooked = forHooks(settings);
    const { gateway, native, close } = await this.#checkpoints.lease({
      settings: hooked,
      role: undefined,
      environment,
      // A function of its own for each lease.
      log: (words) => note(words),
      session: '',
      open: (common, tell) => openServed(hooked, { ...place, environment: common, tell }),
    });
    const isLeft = settings.hooks.elsewhere === 'leave' && isUnnamed(settings);
    return { gate: new Gate({ gateway, native, runBy: this.#runBy }), isLeft, close };
  }

  #forget(known: Known): void {
    this.#open.delete(known);
    for (const [session, each] of this.#bySession) if (each === known) this.#bySession.delete(session);
  }
}

function read(args: readonly string[]): ReturnType<typeof readServeArguments> {
  try {
    return readServeArguments(args);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new HookInputError(text(error.message, error.message));
  }
}

/** By its whole path, since this process works in another folder than the hook. */
function configOf({ config }: Flags, folder: string): string | undefined {
  return config === undefined ? undefined : resolve(folder, config);
}

function lookAt(config: string, roots: readonly string[]): string {
  return JSON.stringify([config, ...roots].map(identityOf));
}

const mostSessions = 1000;
const idleMs = 30 * 60_000;
