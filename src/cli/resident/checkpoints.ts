import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint } from '../../checkpoint/index.ts';
import type { Settings } from '../../config/settings.ts';
import { homeOf } from '../../config/state.ts';
import { limits } from '../../contract/limits.ts';
import { ofSettings } from './standing.ts';

interface Shared {
  readonly checkpoint: Promise<Checkpoint>;
  /** The sessions' logs. */
  readonly logs: Set<(words: string) => void>;
  idle: NodeJS.Timeout | undefined;
}

interface Lease {
  readonly settings: Settings;
  readonly role: unknown;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: (words: string) => void;
  /** Opens the checkpoint, with the variables that all of its sessions have in common. */
  readonly open: (environment: NodeJS.ProcessEnv, tell: (words: string) => void) => Promise<Checkpoint>;
}

/** The open checkpoints, one for each set of settings. Each stays open for a while after its last session. */
export class SharedCheckpoints {
  readonly #byKey = new Map<string, Shared>();
  readonly #idleMs: number;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** A checkpoint for one session, which closes its own share of it. */
  async lease({ settings, role, environment, log, open }: Lease): Promise<Checkpoint> {
    const common = ofSettings(environment, namedVariables(settings));
    const key = keyOf(settings, role, common);
    let shared = this.#byKey.get(key);
    if (!shared) {
      // It is told what is said at the opening, too.
      const logs = new Set([log]);
      const tell = (words: string) => {
        for (const each of logs) each(words);
      };
      shared = { checkpoint: open(common, tell), logs, idle: undefined };
      this.#byKey.set(key, shared);
    }
    const held = shared;
    clearTimeout(held.idle);
    held.logs.add(log);
    try {
      const checkpoint = await held.checkpoint;
      let isClosed = false;
      return {
        ...checkpoint,
        close: async () => {
          if (isClosed) return;
          isClosed = true;
          this.#release(key, held, log);
        },
      };
    } catch (error) {
      this.#byKey.delete(key);
      throw error;
    }
  }

  async close(graceMs: number): Promise<void> {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    for (const { idle } of all) clearTimeout(idle);
    await Promise.allSettled(all.map(async ({ checkpoint }) => (await checkpoint).close(graceMs)));
  }

  #release(key: string, shared: Shared, log: (words: string) => void): void {
    shared.logs.delete(log);
    if (shared.logs.size > 0) return;
    shared.idle = setTimeout(async () => {
      this.#byKey.delete(key);
      // Nobody waits for it, and nobody is left to be told.
      await shared.checkpoint.then((checkpoint) => checkpoint.close(limits.stopGraceMs)).catch(() => {});
    }, this.#idleMs).unref();
  }
}

/** Whatever is read once, when a checkpoint opens: if it changes, the next session gets another one. */
function keyOf(settings: Settings, role: unknown, environment: NodeJS.ProcessEnv): string {
  const home = homeOf(environment);
  const searched = (environment.PATH ?? '').split(':').filter(Boolean);
  const files = ['.gitconfig', '.config/git/config', '.npmrc'].map((name) => join(home, name));
  return JSON.stringify(
    [
      settings,
      role,
      Object.entries(environment).sort(),
      // A folder that was deleted and made anew is another one.
      settings.roots.map(({ path }) => identityOf(path)),
      [...searched, ...files].map(changedAt),
    ],
    (_, value: unknown) => (value instanceof Map ? [...value] : value),
  );
}

/** A folder by its place on the disk; a file by its content, too. */
export function identityOf(path: string): unknown {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!stat) return undefined;
  const { dev, ino, birthtimeNs, mtimeNs } = stat;
  return [dev, ino, birthtimeNs, stat.isDirectory() ? 0n : mtimeNs].map(String);
}

function changedAt(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    // It cannot be read, so nothing of it is used.
    return undefined;
  }
}

/** The variables that the settings name. */
function namedVariables({ process, memory, models }: Settings): readonly string[] {
  const keys = [memory.embeddings?.keyVariable, ...Object.values(models).map((model) => model.keyVariable)];
  return [...process.environment, ...keys.flatMap((name) => name ?? [])];
}
