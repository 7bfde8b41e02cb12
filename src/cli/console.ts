import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkpoint, consoleName, openCheckpoint } from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import { outsideOf } from '../config/places/outside.ts';
import type { Flags } from '../config/settings.ts';
import { isAlive } from '../ground/machine/is-alive.ts';
import { jsonOf, orElse } from '../ground/or-else.ts';
import { isLoopbackHost } from '../ground/secure-url.ts';
import { accountName } from './common/account-name.ts';
import type { Options } from './common/options.ts';
import { note, say, sayJson } from './common/say.ts';

type Address = { readonly host: string; readonly port: number };

/** Prints a link that logs the person at this machine in to the console of a running server, once. */
export async function printConsoleLink(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  await using checkpoint = await openCheckpoint(settings);
  const running = readAddress(settings.stateFolder);
  if (!running) {
    note(
      'No server with a console runs on this state folder: start one with `sekisho serve --http`.',
      'この状態フォルダーで動いているコンソール付きのサーバーはありません。`sekisho serve --http` で起動してください。',
    );
    return 1;
  }
  const link = await consoleLink(checkpoint, running);
  if (options.json) sayJson({ link });
  else say(link);
  return 0;
}

/** Write access to the server's records is enough to log in. */
export async function consoleLink(checkpoint: Checkpoint, address: Address): Promise<string> {
  const { consoleSessions } = await checkpoint.store();
  const code = await consoleSessions.createCode(accountName(), Date.now());
  const host = reachableHost(address.host);
  const name = isLoopbackHost(host) ? consoleName(checkpoint.settings) : undefined;
  return `http://${name ?? (isLoopbackHost(host) ? 'localhost' : host)}:${address.port}/login?code=${code}`;
}

/** A host for an address. A wildcard address is replaced, as browsers and clients cannot open it. */
export function reachableHost(listening: string): string {
  const host = ['0.0.0.0', '::'].includes(listening) ? '127.0.0.1' : listening;
  return host.includes(':') ? `[${host}]` : host;
}

/** Lets `sekisho console` find this server; returns a function that removes the note on stop. */
export function noteAddress(stateFolder: string, address: Address): () => void {
  const path = noteOf(stateFolder);
  const words = JSON.stringify({ ...address, pid: process.pid });
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  writeFileSync(path, words, { mode: 0o600 });
  return () => {
    // Another server may have written its note in between.
    if (readIfThere(path) === words) rmSync(path, { force: true });
  };
}

function readAddress(stateFolder: string): Address | undefined {
  const words = readIfThere(noteOf(stateFolder));
  if (words === undefined) return undefined;
  // A killed server may leave half a note, which counts as none.
  const { host, port, pid } = Object(jsonOf(words));
  if (typeof host !== 'string' || !Number.isInteger(port) || !Number.isInteger(pid)) return undefined;
  // In a container the server's pid means nothing here.
  return outsideOf() || isAlive(Number(pid)) ? { host, port: Number(port) } : undefined;
}

function readIfThere(path: string): string | undefined {
  return orElse(() => readFileSync(path, 'utf8'), undefined);
}

function noteOf(stateFolder: string): string {
  return join(stateFolder, 'console-address.json');
}
