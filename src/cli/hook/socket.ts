import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homeOf, residentFolderOf } from '../../config/places/state.ts';
import { orElse } from '../../ground/or-else.ts';

/** One event may contain a whole file, with escapes. */
export const maxEventBytes = 64 * 1024 * 1024;

/** The socket on which this user's hooks find a resident server, whatever has changed since they were made. */
export function hooksSocketOf(script: string, environment: NodeJS.ProcessEnv = process.env): string {
  const name = createHash('sha256').update(script).digest('hex').slice(0, 16);
  return join(residentFolderOf(environment, homeOf(environment)), `${hooksPrefix}${name}.sock`);
}

/** Distinguishes it from the sockets of single servers. */
export const hooksPrefix = 'hooks-';

/** The process that creates this note starts a server; the note expires. */
export function noteOf(socket: string): string {
  return `${socket}.starting`;
}

/** Why a server did not start, from its log. */
export function lastWordsOf(socket: string): string {
  return orElse(
    () => readFileSync(`${socket}.log`, 'utf8').trim().split('\n').slice(-3).join(' ').slice(0, 500),
    '',
  );
}

/** A permit for `sekisho run`: it names the server too. */
export function permitFor(socket: string, permit: string): string {
  return `${basename(socket, '.sock')}.${permit}`;
}

/** The socket and the permit in such words; undefined if they name none. */
export function readPermit(
  words: string,
  environment: NodeJS.ProcessEnv = process.env,
): { readonly socket: string; readonly permit: string } | undefined {
  const [, name, permit] =
    /^([0-9a-f]{12}-[0-9a-f]{12}|hooks-[0-9a-f]{16})\.([0-9a-f]{32})$/.exec(words) ?? [];
  if (name === undefined || permit === undefined) return undefined;
  return { socket: join(residentFolderOf(environment, homeOf(environment)), `${name}.sock`), permit };
}
