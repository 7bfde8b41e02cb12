import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { withoutSecrets } from '../ground/secrets/without-secrets.ts';
import { writeWhole } from '../ground/write-whole.ts';

/**
 * Messages of users that clients' hooks report: the user's own words for all sessions of that client, whichever process
 * serves them (`flow.md`). One file per conversation, removed at most a day after its end.
 */
export type Prompts = ReturnType<typeof createPrompts>;

interface PromptsOptions {
  readonly now: () => number;
  readonly onFault: ((error: unknown) => void) | undefined;
}

/** The contents at the folder's last change, valid until the first file is a day old. */
interface Known {
  readonly changedMs: number;
  readonly untilMs: number;
  readonly words: ReadonlyMap<string, string>;
}

/** As much as the flow rule reads. */
const maxChars = 1 << 16;
const dayMs = 24 * 60 * 60_000;

export function createPrompts(stateFolder: string, { now, onFault }: PromptsOptions) {
  const folder = join(stateFolder, 'prompts');
  let known: Known | undefined;

  /** By client name as in its hooks; a file is named `CLIENT.DIGEST`. */
  function readAll(changedMs: number): Known {
    const words = new Map<string, string>();
    let untilMs = Number.POSITIVE_INFINITY;
    const files = readdirSync(folder)
      .map((name) => join(folder, name))
      .map((path) => ({ path, atMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .toSorted((a, b) => a.atMs - b.atMs);
    for (const { path, atMs } of files) {
      const client = clientIn(path);
      if (client === undefined || now() - atMs > dayMs) continue;
      untilMs = Math.min(untilMs, atMs + dayMs);
      words.set(client, `${words.get(client) ?? ''}${read(path)}\n`);
    }
    return { changedMs, untilMs, words };
  }

  function orTell(act: () => void): void {
    try {
      act();
    } catch (error) {
      onFault?.(error);
    }
  }

  function removeOld(): void {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const atMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      if (atMs !== undefined && now() - atMs > dayMs) rmSync(path, { force: true });
    }
  }

  return {
    /** `CLIENT:ID` is the conversation. If a prompt cannot be stored, it is merely unknown. */
    add(conversation: string, words: string) {
      if (words.trim() === '') return;
      orTell(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        removeOld();
        const path = join(folder, nameOf(conversation));
        const all = `${read(path)}\n${withoutSecrets(words)}`.slice(-maxChars);
        writeWhole(path, all);
      });
    },
    forget: (conversation: string) =>
      orTell(() => rmSync(join(folder, nameOf(conversation)), { force: true })),
    /** The prompts of all conversations with the client of this name, newest last. */
    of(client: string): string | undefined {
      // Adding, removing or replacing a file changes its folder's time.
      const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
      if (changedMs === undefined) return undefined;
      if (known?.changedMs !== changedMs || now() > known.untilMs) known = readAll(changedMs);
      const name = [...known.words.keys()].find((each) => client.toLowerCase().startsWith(each));
      return name === undefined ? undefined : known.words.get(name);
    },
  };
}

function nameOf(conversation: string): string {
  const [client = ''] = conversation.split(':');
  return `${client}.${createHash('sha256').update(conversation).digest('hex').slice(0, 32)}`;
}

function clientIn(path: string): string | undefined {
  return /\/([a-z-]+)\.[0-9a-f]{32}$/.exec(path)?.[1];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return '';
    throw error;
  }
}
