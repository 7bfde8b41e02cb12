import { readFileSync } from 'node:fs';

declare const __SEKISHO_VERSION__: string | undefined;

/** The package's version; the build writes it in, and development reads it. */
export function versionOf(): string {
  if (typeof __SEKISHO_VERSION__ === 'string') return __SEKISHO_VERSION__;
  const words = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(words) as { version: string }).version;
}
