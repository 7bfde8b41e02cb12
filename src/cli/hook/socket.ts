import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { configPathOf, homeOf, hookFolderOf } from '../../config/state.ts';

/** A request to the hooks' server: one line of JSON each way, then the connection ends. */
export type HookRequest =
  | EventRequest
  | { readonly kind: 'run'; readonly permit: string; readonly command: string; readonly folder: string };

export interface EventRequest {
  readonly kind: 'event';
  readonly client: string;
  readonly event: string;
  /** The folder in which the client started the hook. */
  readonly folder: string;
}

/** One event may contain a whole file, with escapes. */
export const maxEventBytes = 64 * 1024 * 1024;

/**
 * The server's socket for these settings, whatever folder a client works in. A changed configuration or another build
 * has another server; the old one ends when it is no longer needed.
 */
export function socketOf(
  flags: readonly string[],
  script: string,
  environment: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
): string {
  const home = homeOf(environment);
  const config = configPathOf(flags[flags.indexOf('--config') + 1 || flags.length], environment, home, cwd);
  const parts = [flags, changedAt(config), script, changedAt(script)];
  return join(hookFolderOf(environment, home), `${digestOf(JSON.stringify(parts))}.sock`);
}

/**
 * The socket on which hooks without a runtime find a server for a configuration, whatever has changed since they were
 * made: it forwards requests meant for another server.
 */
export function quickSocketOf(
  config: string,
  script: string,
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const name = digestOf(JSON.stringify([config, script]));
  return join(hookFolderOf(environment, homeOf(environment)), `${name}.quick`);
}

/** The process that creates this note starts a server; the note expires. */
export function noteOf(socket: string): string {
  return `${socket}.starting`;
}

/** A permit for `sekisho run`: it names the server too. */
export function permitFor(socket: string, permit: string): string {
  return `${socketName(socket)}.${permit}`;
}

/** The socket and the permit in such words; undefined if they name none. */
export function readPermit(
  words: string,
  environment: NodeJS.ProcessEnv = process.env,
): { readonly socket: string; readonly permit: string } | undefined {
  const [, name, permit] = /^([0-9a-f]{16})\.([0-9a-f]{32})$/.exec(words) ?? [];
  if (name === undefined || permit === undefined) return undefined;
  return { socket: join(hookFolderOf(environment, homeOf(environment)), `${name}.sock`), permit };
}

function socketName(socket: string): string {
  return socket.slice(-21, -5);
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function digestOf(words: string): string {
  return createHash('sha256').update(words).digest('hex').slice(0, 16);
}
