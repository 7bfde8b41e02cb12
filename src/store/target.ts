import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../contract/error.ts';

/** The database that a `store.url` names. */
export type Target =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export function targetOf(url: string): Target {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path !== '') return { kind: 'sqlite', path: resolve(path) };
  }
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres', url };
  // The url may contain a password, so quote only its scheme.
  throw new ConfigError(
    `store.url must be sqlite:PATH or postgres://USER@HOST/DATABASE, got "${url.split(':', 1)[0]}:…"`,
    `store.url は sqlite:PATH または postgres://USER@HOST/DATABASE で指定してください（指定値: "${url.split(':', 1)[0]}:…"）。`,
  );
}

/** The folder of the audit key: the state folder, else the one of the SQLite file. */
export function keyFolderOf(target: Target, stateFolder: string | undefined): string {
  return resolve(
    stateFolder ??
      (target.kind === 'sqlite' ? dirname(target.path) : join(homedir(), '.local/state/sekisho')),
  );
}

/** The database's name for operators, without its password. */
export function nameOf(target: Target): string {
  if (target.kind === 'sqlite') return target.path;
  const url = URL.parse(target.url);
  return url ? `PostgreSQL at ${url.host}${url.pathname}` : 'PostgreSQL';
}

/** Whether servers on several machines may share it. */
export function isShared(storeUrl: string): boolean {
  return /^postgres(ql)?:/.test(storeUrl);
}
