import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RawClient, startServer } from './client.ts';
import { peerFile } from './peers.ts';

/** The product as it is installed. */
export const sekisho = join(import.meta.dirname, '..', 'dist', 'sekisho.js');

/** A folder of files, ours and the reference filesystem server on it. */
export async function openWorld(options: {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly serve?: readonly string[];
}) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-bench-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const [path, content] of Object.entries(options.files ?? {})) writeFileSync(join(root, path), content);
  const ours = await startServer(oursOn(root, folder, options.serve));
  const peer = await startServer(filesystemOn(root));
  return {
    root,
    ours,
    peer,
    async close() {
      await Promise.all([ours.close(), peer.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** How ours is started; its records lie beside the root. */
export function oursOn(root: string, folder: string, more: readonly string[] = []): [string, ...string[]] {
  return [process.execPath, sekisho, 'serve', '--root', root, '--state', join(folder, 'state'), ...more];
}

export function filesystemOn(root: string): [string, ...string[]] {
  const peer = peerFile('@modelcontextprotocol/server-filesystem', '2026.8.31', 'dist/index.js');
  return [process.execPath, peer, root];
}

export type { RawClient };
