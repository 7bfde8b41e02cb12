import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../contract/error.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** The secret that seals the audit chain, in a file that only the operator's account reads. */
export type AuditKey = ReturnType<typeof openAuditKey>;

/** Reads or makes a state folder's key. It is `audit.key.new` until the log has a head: a crash is no emptied log. */
export function openAuditKey(folder: string) {
  const path = join(folder, 'audit.key');
  const fresh = `${path}.new`;
  const settled = readKey(path);
  if (settled) return { secret: settled, isSettled: true, settle() {} };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const secret = readKey(fresh) ?? makeKey(fresh);
  let isSettled = false;
  return {
    /** A key object: with a buffer, each HMAC would cost five times as much. */
    secret,
    /** Whether a log was sealed with it before. Then a log without a head was emptied. */
    get isSettled(): boolean {
      return isSettled;
    },
    /** To be called once the first head is committed. */
    settle() {
      isSettled = true;
      try {
        renameSync(fresh, path);
      } catch (error) {
        // Another process opened the same folder first; use its key.
        if (errnoCode(error) !== 'ENOENT') throw error;
      }
    },
  };
}

function makeKey(path: string): KeyObject {
  const mine = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(mine, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // link() fails if the name exists: of two processes that start at once, one makes the key.
    linkSync(mine, path);
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(mine);
  }
  const made = readKey(path);
  if (!made)
    throw new ConfigError(
      `${path} disappeared while it was being made. Start again, and make sure that nothing cleans up the state folder.`,
      `${path} が作成中に消えました。状態フォルダーを整理するプログラムがないことを確認し、もう一度起動してください。`,
    );
  return made;
}

function readKey(path: string): KeyObject | undefined {
  let hex: string;
  try {
    hex = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (!/^[0-9a-f]{64}$/.test(hex))
    throw new ConfigError(
      `${path} must contain 64 hexadecimal digits. Restore it from a backup: without it the log cannot be checked or continued.`,
      `${path} は 16 進数 64 桁でなければなりません。バックアップから復元してください。これがないと、ログの検証も追記もできません。`,
    );
  return createSecretKey(hex, 'hex');
}
