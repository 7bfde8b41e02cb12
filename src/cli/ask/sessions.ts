import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeSession, encodeSession, type SavedSession } from '../../ask/session-file.ts';
import { ConfigError } from '../../contract/error.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { isAlive } from '../../ground/machine/is-alive.ts';
import { orElse } from '../../ground/or-else.ts';
import { writeWhole } from '../../ground/write-whole.ts';

/** A session's file, locked by this process until it is closed. */
export type SessionFile = ReturnType<typeof openSession>;

/** Larger than any conversation; reading such a file would exhaust the memory. */
const maxFileBytes = 64 * 1024 * 1024;

/** Opens or creates the session of this name. Throws `ConfigError` if another process holds it. */
export function openSession(stateFolder: string, name: string) {
  const folder = join(stateFolder, 'ask');
  const path = join(folder, `${fileNameOf(name)}.jsonl`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = `${path}.lock`;
  takeLock(lock, name);
  try {
    return {
      saved: read(path),
      /** Replaces the whole file, readable only by this user. */
      save: (session: SavedSession) => writeWhole(path, encodeSession(session)),
      close: () => rmSync(lock, { force: true }),
    };
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  }
}

function fileNameOf(name: string): string {
  const normal = name.normalize('NFC');
  if (/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,39}$/u.test(normal)) return normal;
  throw new ConfigError(
    `--session must be 1 to 40 letters, digits, "_", "-" or ".", got ${JSON.stringify(name.slice(0, 80))}.`,
    `--session は文字、数字、"_"、"-"、"." で 1～40 文字にしてください（指定値: ${JSON.stringify(name.slice(0, 80))}）。`,
  );
}

function read(path: string): SavedSession {
  let words: string;
  try {
    if (statSync(path).size > maxFileBytes)
      throw new ConfigError(
        `The session ${path} is over ${maxFileBytes} bytes. Take another --session, or delete it.`,
        `セッション ${path} が ${maxFileBytes} バイトを超えています。別の --session を使うか、削除してください。`,
      );
    words = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (errnoCode(error) === 'ENOENT') return { messages: [] };
    throw new ConfigError(`The session ${path} cannot be read.`, `セッション ${path} を読み込めません。`, {
      cause: error,
    });
  }
  return decodeSession(words, path);
}

/** Two processes would each lose the other's messages. A dead process's lock is ignored. */
function takeLock(lock: string, name: string): void {
  for (const mayClear of [true, false]) {
    try {
      const file = openSync(lock, 'wx', 0o600);
      writeFileSync(file, String(process.pid));
      closeSync(file);
      return;
    } catch (error) {
      if (errnoCode(error) !== 'EEXIST') throw error;
      const holder = holderOf(lock);
      if (mayClear && holder !== undefined && !isAlive(holder)) rmSync(lock, { force: true });
      else
        throw new ConfigError(
          `The session ${name} is in use by process ${holder ?? '?'} (${lock}).`,
          `セッション ${name} はプロセス ${holder ?? '?'} が使用中です（${lock}）。`,
        );
    }
  }
}

function holderOf(lock: string): number | undefined {
  return orElse(() => {
    const id = Number(readFileSync(lock, 'utf8'));
    return Number.isInteger(id) && id > 0 ? id : undefined;
  }, undefined);
}
