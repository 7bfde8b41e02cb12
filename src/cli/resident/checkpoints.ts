import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkpoint, reachesCommands } from '../../checkpoint/index.ts';
import { homeOf } from '../../config/places/state.ts';
import type { Settings } from '../../config/settings.ts';
import type { PublishedPort } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import type { UsedServer } from '../../contract/shared-server.ts';
import { orElse } from '../../ground/or-else.ts';
import { ofProcess } from './standing.ts';

interface Shared {
  readonly checkpoint: Promise<Checkpoint>;
  /** The sessions by their logs. */
  readonly sessions: Map<(words: string) => void, string>;
  idle: NodeJS.Timeout | undefined;
}

interface Lease {
  readonly settings: Settings;
  readonly role: unknown;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: (words: string) => void;
  /** Empty for hooks. */
  readonly session: string;
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
  async lease({ settings, role, environment, log, session, open }: Lease): Promise<Checkpoint> {
    const common = usedOf(environment, namedVariables(settings));
    const key = keyOf(settings, role, common);
    let shared = this.#byKey.get(key);
    if (!shared) {
      // It is told what is said at the opening, too.
      const sessions = new Map([[log, session]]);
      const tell = (words: string) => {
        for (const each of sessions.keys()) each(words);
      };
      shared = { checkpoint: open(common, tell), sessions, idle: undefined };
      this.#byKey.set(key, shared);
    }
    const held = shared;
    clearTimeout(held.idle);
    held.sessions.set(log, session);
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

  /** The proxied servers that run, each with the sessions that it runs for. */
  async servers(): Promise<readonly UsedServer[]> {
    const all = [...this.#byKey.values()].map(async ({ checkpoint, sessions }) => {
      const upstreams = await (await checkpoint).rooms.upstreams.opened();
      const common = [...sessions.values()].filter((id) => id !== '');
      const running = (await upstreams?.running()) ?? [];
      return running.map((server) => ({ ...server, sessions: server.sessions ?? common }));
    });
    const settled = await Promise.allSettled(all);
    return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  }

  /** The ports of commands that browsers reach. */
  async published(): Promise<readonly PublishedPort[]> {
    const all = [...this.#byKey.values()].map(async ({ checkpoint }) =>
      (await (await checkpoint).rooms.commands.opened())?.published(),
    );
    return (await Promise.allSettled(all)).flatMap((each) => ('value' in each && each.value) || []);
  }

  async close(graceMs: number): Promise<void> {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    for (const { idle } of all) clearTimeout(idle);
    await Promise.allSettled(all.map(async ({ checkpoint }) => (await checkpoint).close(graceMs)));
  }

  #release(key: string, shared: Shared, log: (words: string) => void): void {
    shared.sessions.delete(log);
    if (shared.sessions.size > 0) return;
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
  // It cannot be read, so nothing of it is used.
  return orElse(() => statSync(path, { throwIfNoEntry: false })?.mtimeMs, undefined);
}

/** The variables that a checkpoint uses. Sessions that differ in others, as each terminal and client sets, share it. */
function usedOf(environment: NodeJS.ProcessEnv, named: readonly string[]): NodeJS.ProcessEnv {
  // npx names the file that npm reads anyway.
  const usual = join(homeOf(environment), '.npmrc');
  const used = Object.entries(environment).filter(
    ([name, value]) =>
      named.includes(name) ||
      isOfRooms.test(name) ||
      (reachesCommands(name) && !(name === 'npm_config_userconfig' && value === usual)),
  );
  return { ...ofProcess(environment), ...Object.fromEntries(used) };
}

/** Of traces, notes and notices on the desktop. */
const isOfRooms = /^(OTEL_\w+|VAULT_SCAN_\w+|HARD_MAX_CHARS|DISPLAY|WAYLAND_DISPLAY)$/;

/** The variables that the settings name. */
function namedVariables({ process, memory, models, secrets, signing }: Settings): readonly string[] {
  const keys = [memory.embeddings?.keyVariable, ...Object.values(models).map((model) => model.keyVariable)];
  const ofSecrets = secrets.flatMap(({ from }) =>
    typeof from === 'object' && 'env' in from ? [from.env] : [],
  );
  return [
    ...process.environment,
    ...(signing.commits ? ofSigners : []),
    ...ofSecrets,
    ...keys.flatMap((name) => name ?? []),
  ];
}

/** By which a person's gpg and ssh-keygen find keys. */
const ofSigners = ['SSH_AUTH_SOCK', 'GNUPGHOME'];
