import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

declare const __SEKISHO_VERSION__: string | undefined;

/** Reads a file of the console's pages. Only listed names are served. */
export async function readConsoleAsset(
  name: string,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string } | undefined> {
  const type = types.get(name);
  if (type === undefined) return undefined;
  const isBuilt = typeof __SEKISHO_VERSION__ === 'string';
  const bytes = isBuilt
    ? await readFile(new URL(`./console/${name}`, import.meta.url))
    : composeConsoleAsset(name);
  return { bytes: new Uint8Array(bytes), type };
}

/** An asset for the build to write beside its chunks: from our source, or from npm. */
export function composeConsoleAsset(name: string): Uint8Array {
  if (name !== 'htmx.js') return readFileSync(new URL(`../console/assets/${name}`, import.meta.url));
  const { resolve } = createRequire(import.meta.url);
  // One file: htmx starts as soon as it is loaded, and misses extensions that load later.
  const parts = ['htmx.org/dist/htmx.min.js', 'htmx.org/dist/ext/hx-sse.min.js'].map((part) =>
    readFileSync(resolve(part), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n'),
  );
  return Buffer.from(parts.join(''));
}

const types: ReadonlyMap<string, string> = new Map([
  ['console.css', 'text/css; charset=utf-8'],
  ['console.js', 'text/javascript; charset=utf-8'],
  ['device.js', 'text/javascript; charset=utf-8'],
  ['sw.js', 'text/javascript; charset=utf-8'],
  ['icon-192.png', 'image/png'],
  ['icon-512.png', 'image/png'],
  ['htmx.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
]);

export const consoleAssetNames = [...types.keys()];
