import { readFileSync } from 'node:fs';

declare const __SEKISHO_VERSION__: string | undefined;
declare const __SEKISHO_PUBLISHED__: boolean | undefined;

/** The package's version; the build inserts it, and development reads it. */
export function versionOf(): string {
  return typeof __SEKISHO_VERSION__ === 'string' ? __SEKISHO_VERSION__ : readPackage().version;
}

/** Whether the package is in the registry: npm does not publish it while package.json says `private`. */
export function isPublished(): boolean {
  return typeof __SEKISHO_PUBLISHED__ === 'boolean' ? __SEKISHO_PUBLISHED__ : readPackage().private !== true;
}

function readPackage(): { readonly version: string; readonly private?: boolean } {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
}
