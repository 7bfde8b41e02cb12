import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { AskSessionStore } from '../contract/ask.ts';
import type { ConsoleSessions } from '../contract/console.ts';
import { ConfigError, ToolError } from '../contract/error.ts';
import type { HistoryStore } from '../contract/history.ts';
import type { Memories } from '../contract/memory.ts';
import type { MemoryBrowser } from '../contract/memory-browser.ts';
import type { ApprovalStore, AuditLog, RateStore, TokenStore } from '../contract/records.ts';
import { once } from '../ground/once.ts';
import { createApprovalStore } from './approvals.ts';
import { createAskSessionStore } from './ask-sessions.ts';
import { openAuditKey } from './audit/key.ts';
import { createAuditLog } from './audit/log.ts';
import { createConsoleSessions } from './console-sessions.ts';
import type { EmbeddingOptions, Meaning } from './embeddings/meaning.ts';
import type { Clock, Engine, OpenEngine } from './engine.ts';
import { createHistoryStore } from './history.ts';
import { createMemoryBrowser } from './memory/browse.ts';
import { createMemories } from './memory/memories.ts';
import { createRateStore } from './rates.ts';
import { createTokenStore } from './tokens.ts';

export interface StoreOptions {
  /** `sqlite:PATH`, or `postgres://…` where several servers share their records. */
  readonly url: string;
  /** Where the audit key lies; default: beside the SQLite file, else `~/.local/state/sekisho`. */
  readonly stateFolder?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How memories are embedded; absent: they are found by their words alone. */
  readonly embeddings?: EmbeddingOptions | undefined;
}

/** Everything that is kept. */
export interface Store {
  readonly audit: AuditLog;
  readonly tokens: TokenStore;
  readonly approvals: ApprovalStore;
  readonly rates: RateStore;
  readonly history: HistoryStore;
  readonly askSessions: AskSessionStore;
  memoriesFor(principal: string): Memories;
  /** Everybody's memories, for a person to leaf through. */
  readonly memoryBrowser: MemoryBrowser;
  /** What memories mean; absent where they are not embedded. */
  readonly meaning: (() => Promise<Meaning>) | undefined;
  /** Logins of the console. */
  readonly consoleSessions: ConsoleSessions;
  /** The database itself, for record families that are built on this store. Opens at the first call. */
  readonly engine: OpenEngine;
  /** Opens the database now instead of at the first record; a `ConfigError` says why it cannot be. */
  ready(): Promise<void>;
  /** Writes what is queued and closes. */
  close(): Promise<void>;
}

/**
 * Opens the records. The folder is made at once; the database, its driver and the query builder are loaded at the
 * first record or by `ready()`, so that a server can answer its first `tools/list` before.
 */
export async function openStore({
  url,
  stateFolder,
  clock = Date.now,
  embeddings,
}: StoreOptions): Promise<Store> {
  const target = targetOf(url);
  const folder = resolve(
    stateFolder ??
      (target.kind === 'sqlite' ? dirname(target.path) : join(homedir(), '.local/state/sekisho')),
  );
  makeFolder(folder);

  const engine = once(() => openEngine(target));
  const meaning =
    embeddings &&
    once(async () => (await import('./embeddings/meaning.ts')).createMeaning(engine, clock, embeddings));
  const embedding = embeddings && meaning && { model: embeddings.model, meaning };
  const audit = createAuditLog(engine, () => openAuditKey(folder));

  const tokens = createTokenStore(engine, clock);

  return {
    audit,
    tokens,
    approvals: createApprovalStore(engine, clock),
    rates: createRateStore(engine),
    history: createHistoryStore(engine),
    askSessions: createAskSessionStore(engine),
    memoriesFor: (principal) => createMemories(engine, clock, principal, embedding),
    memoryBrowser: createMemoryBrowser(engine),
    meaning,
    consoleSessions: createConsoleSessions(engine, tokens),
    engine,
    async ready() {
      await engine().catch((error) => {
        if (!(error instanceof ToolError)) throw error;
        const reason = error.cause instanceof Error ? error.cause.message : error.message;
        throw new ConfigError(
          `store.url: the records cannot be opened: ${reason.replace(/\.$/, '')}. Is the database there, and may this user write to it?`,
          { cause: error },
        );
      });
    },
    async close() {
      try {
        await audit.flush();
      } finally {
        audit.stop();
        await (await meaning?.opened())?.close();
        await (await engine.opened()?.catch(() => undefined))?.close();
      }
    },
  };
}

/** Others on the machine have no business in it. A folder that is there keeps its mode: it may be shared. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `The state folder ${folder} cannot be made (${code}). Name another with --state, or \`state\` in the configuration.`,
      { cause: error },
    );
  }
}

type Target =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

function targetOf(url: string): Target {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path !== '') return { kind: 'sqlite', path: resolve(path) };
  }
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres', url };
  // The url may hold a password: quote no more of it than its scheme.
  throw new ConfigError(
    `store.url must be sqlite:PATH or postgres://USER@HOST/DATABASE, got "${url.split(':', 1)[0]}:…"`,
  );
}

async function openEngine(target: Target): Promise<Engine> {
  if (target.kind === 'sqlite') return (await import('./sqlite/open.ts')).openSqlite(target.path);
  return (await import('./postgres/open.ts')).openPostgres(target.url);
}
