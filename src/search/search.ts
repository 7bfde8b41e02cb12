import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Search } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { createSemaphore, type Semaphore } from '../ground/waiting/semaphore.ts';
import { searchContent } from './content.ts';
import { createGatheredSearches, type GatheredSearches } from './gathered.ts';
import { searchNames } from './names.ts';
import { createRipgrep } from './ripgrep.ts';
import type { Stages } from './start.ts';

export interface SearchOptions {
  /** Absolute path of ripgrep. The default is the one in this package, otherwise the system's. */
  readonly ripgrepPath?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Absolute paths that no search enters. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /**
   * The sandbox of commands, once a command may have run in it. Before that, no command of ours can swap folders for
   * links during a search, and a read-only server need not open a sandbox.
   */
  readonly confined?: (() => Promise<Stages | undefined>) | undefined;
}

/** Makes a session's `search` capability, whose pages continue each other. Finds ripgrep on first use. */
export function createSearch(options: SearchOptions = {}): (sessionId: string) => Search {
  let found: Promise<string> | undefined;
  const ripgrep = createRipgrep({
    program: () => {
      found ??= findRipgrep(options.ripgrepPath);
      return found;
    },
    confined: options.confined ?? (async () => undefined),
    timeoutMs: options.timeoutMs ?? 30_000,
    hiddenPaths: options.hiddenPaths ?? [],
  });
  const gathered = createGatheredSearches();
  const inTurn = createOwnTurns(searchesAtOnce);
  return (sessionId) => {
    // Kept per session: a session must not get results that only another may see.
    const own: GatheredSearches = {
      find: (key) => gathered.find(`${sessionId}\0${key}`),
      keep: (key, found, bytes) => gathered.keep(`${sessionId}\0${key}`, found, bytes),
    };
    return {
      names: (query) => inTurn(sessionId, query.signal, () => searchNames(ripgrep, query, own)),
      content: (query) => inTurn(sessionId, query.signal, () => searchContent(ripgrep, query, own)),
    };
  };
}

/** Per session; each search is a process on all cores. */
const searchesAtOnce = 4;

async function findRipgrep(given: string | undefined): Promise<string> {
  const packaged = given ?? (await packagedRipgrep());
  for (const path of [packaged, '/usr/bin/rg', '/usr/local/bin/rg', '/opt/homebrew/bin/rg']) {
    if (path !== undefined && (await isExecutable(path))) return path;
  }
  throw new ToolError(
    'unavailable',
    'ripgrep is missing on this machine.',
    'このマシンに ripgrep がありません。',
    text(
      'The operator can install it: npm install @vscode/ripgrep, or the package ripgrep of the system.',
      '運用者は npm install @vscode/ripgrep か、システムの ripgrep パッケージを導入してください。',
    ),
  );
}

/** An optional dependency, whose binary may not exist for this system. */
function packagedRipgrep(): Promise<string | undefined> {
  return import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Runs a limited number of a session's jobs at once; the others wait, without delaying other sessions. */
export function createOwnTurns(atOnce: number) {
  const sessions = new Map<string, { readonly turns: Semaphore; asked: number }>();
  return async <T>(
    sessionId: string,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    const session = sessions.get(sessionId) ?? { turns: createSemaphore(atOnce), asked: 0 };
    sessions.set(sessionId, session);
    session.asked += 1;
    try {
      const leave = await session.turns.acquire(signal);
      return await work().finally(leave);
    } finally {
      session.asked -= 1;
      if (session.asked === 0) sessions.delete(sessionId);
    }
  };
}
