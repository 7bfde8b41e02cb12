import { type Checkpoint, openCheckpoint } from '../../checkpoint/index.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { limits } from '../../contract/limits.ts';
import { isInside } from '../../ground/inside.ts';
import { Gate, type GateOptions } from '../../hooks/gate.ts';
import { ownProgram } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { versionOf } from '../common/version.ts';
import { isUnnamed, settingsAtStart } from '../serving/working-folder.ts';
import { forHooks } from './shell.ts';

/** A project that this server decides for. */
export interface HookProject {
  readonly gate: Gate;
  readonly checkpoint: Checkpoint;
  /** The folder is not a project, and the person leaves the client's tools alone there. */
  readonly isLeft: boolean;
  readonly roots: readonly string[];
}

/**
 * The projects of one server: each has a checkpoint, which is opened at its first hook. A session that moves to another
 * folder of its project keeps its variables and its /tmp.
 */
export class HookProjects {
  readonly #flags: Flags;
  readonly #runBy: GateOptions['runBy'];
  readonly #byRoots = new Map<string, Promise<HookProject>>();
  readonly #bySession = new Map<string, HookProject>();

  constructor(flags: Flags, runBy: GateOptions['runBy']) {
    this.#flags = flags;
    this.#runBy = runBy;
  }

  /** The project of a hook: that of its session, as long as the client's folder is in it. */
  async of(session: string, folder: string): Promise<HookProject> {
    const known = this.#bySession.get(session);
    if (known?.roots.some((root) => isInside(folder, root))) return known;
    const project = await this.at(folder);
    this.#bySession.delete(session);
    this.#bySession.set(session, project);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > mostSessions && oldest !== undefined) this.#bySession.delete(oldest);
    return project;
  }

  /** The project of a folder. Rejects if its settings are wrong. */
  async at(folder: string): Promise<HookProject> {
    const settings = settingsAtStart(this.#flags, folder);
    const key = JSON.stringify([settings.roots.map(({ path }) => path), settings.project]);
    const opened = this.#byRoots.get(key) ?? this.#open(settings);
    this.#byRoots.set(key, opened);
    // A failed opening is tried again at the next hook.
    opened.catch(() => this.#byRoots.delete(key));
    return opened;
  }

  async all(): Promise<readonly HookProject[]> {
    const settled = await Promise.allSettled(this.#byRoots.values());
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  async close(): Promise<void> {
    await Promise.all((await this.all()).map(({ checkpoint }) => checkpoint.close(limits.stopGraceMs)));
  }

  async #open(settings: Settings): Promise<HookProject> {
    const checkpoint = await openCheckpoint(forHooks(settings), {
      version: versionOf(),
      program: ownProgram(),
      onFault: (error) => note(String(error)),
    });
    const { gateway, native } = checkpoint;
    return {
      checkpoint,
      gate: new Gate({ gateway, native, runBy: this.#runBy }),
      isLeft: settings.hooks.elsewhere === 'leave' && isUnnamed(settings),
      roots: settings.roots.map(({ path }) => path),
    };
  }
}

const mostSessions = 1000;
