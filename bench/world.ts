import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RawClient, startServer } from './client.ts';
import { peerFile } from './peers.ts';

/** The product as it is installed. */
export const sekisho = join(import.meta.dirname, '..', 'dist', 'sekisho.js');

/** A new folder, and how to remove it. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-bench-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A folder of files, ours and the reference filesystem server on it. */
export async function openWorld(options: {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly serve?: readonly string[];
}) {
  const { folder, remove } = makeFolder();
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
      remove();
    },
  };
}

/** Ours alone on a folder, with the settings of a configuration file. */
export async function openOurs(
  options: {
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    readonly config?: object;
    /** A folder that is there already. */
    readonly root?: string;
    /** Puts things in place before the server starts. */
    readonly prepare?: (folder: string) => Promise<void>;
  } = {},
) {
  const { folder, remove } = makeFolder();
  const root = options.root ?? join(folder, 'root');
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(options.files ?? {})) writeFileSync(join(root, path), content);
  writeFileSync(join(folder, 'config.jsonc'), JSON.stringify({ ...unending, ...options.config }));
  await options.prepare?.(folder);
  const ours = await startServer(oursOn(root, folder, ['--config', join(folder, 'config.jsonc')]));
  return {
    folder,
    root,
    ours,
    async close() {
      await ours.close();
      remove();
    },
  };
}

/** A bench repeats a call as no agent should. */
const unending = { limits: { repeats: 0 } };

/** The settings under which every tool of the assistant works in the root itself. */
export const coding = { toolsets: ['agent-cli', 'assistant'], assistant: { layout: 'workspace' } } as const;

/** Throws unless the answer holds these words: a fast wrong answer is a failure. */
export function assertHolds(result: Record<string, unknown>, words: string): void {
  if (!JSON.stringify(result).includes(words)) {
    throw new Error(`the answer is wrong: ${JSON.stringify(result).slice(0, 200)}`);
  }
}

export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** The processor time that a process has used, in ms; Linux counts it in hundredths of a second. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** How ours is started; its records lie beside the root. */
export function oursOn(root: string, folder: string, more: readonly string[] = []): [string, ...string[]] {
  const config = join(folder, 'bench.jsonc');
  const isNamed = more.includes('--config');
  mkdirSync(folder, { recursive: true });
  if (!isNamed) writeFileSync(config, JSON.stringify(unending));
  return [
    process.execPath,
    sekisho,
    'serve',
    '--alone',
    '--root',
    root,
    '--state',
    join(folder, 'state'),
    ...(isNamed ? [] : ['--config', config]),
    ...more,
  ];
}

export function filesystemOn(root: string): [string, ...string[]] {
  const peer = peerFile('@modelcontextprotocol/server-filesystem', '2026.8.31', 'dist/index.js');
  return [process.execPath, peer, root];
}

export type { RawClient };
