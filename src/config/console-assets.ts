import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

declare const __SEKISHO_VERSION__: string | undefined;

/**
 * The files that the console's pages name. The build puts them beside its chunks; in development they are where they
 * were written, and htmx where npm put it. No name but these is looked for.
 */
export async function readConsoleAsset(
  name: string,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string } | undefined> {
  const asset = consoleAssets.get(name);
  if (!asset) return undefined;
  return { bytes: new Uint8Array(await readFile(placeOf(name, asset.from))), type: asset.type };
}

/** Every asset: where it is in development, and what it is. */
export const consoleAssets: ReadonlyMap<string, { readonly from: string; readonly type: string }> = new Map([
  ['console.css', { from: '../console/assets/console.css', type: 'text/css; charset=utf-8' }],
  ['console.js', { from: '../console/assets/console.js', type: 'text/javascript; charset=utf-8' }],
  ['icon.svg', { from: '../console/assets/icon.svg', type: 'image/svg+xml' }],
  ['htmx.js', { from: 'htmx.org/dist/htmx.min.js', type: 'text/javascript; charset=utf-8' }],
  ['htmx-sse.js', { from: 'htmx.org/dist/ext/hx-sse.min.js', type: 'text/javascript; charset=utf-8' }],
]);

function placeOf(name: string, from: string): URL | string {
  if (typeof __SEKISHO_VERSION__ === 'string') return new URL(`./console/${name}`, import.meta.url);
  if (from.startsWith('.')) return new URL(from, import.meta.url);
  return createRequire(import.meta.url).resolve(from);
}
