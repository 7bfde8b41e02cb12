import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CheckpointOptions, openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import type { Flags } from '../../src/config/settings.ts';
import type { Arrival, Call, Reply } from '../../src/contract/call.ts';

export interface World {
  /** Files to begin with, by path relative to the root. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly config?: ConfigFile;
  readonly flags?: Flags;
  readonly environment?: Readonly<Record<string, string>>;
  readonly options?: CheckpointOptions;
}

/** A checkpoint on a folder of its own, with everything real. Close it, or use `await using`. */
export async function openTestCheckpoint(world: World = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-test-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const [path, content] of Object.entries(world.files ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify(world.config ?? {}));
  const settings = loadSettings(
    { root, config, state: join(folder, 'state'), ...world.flags },
    { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8', ...world.environment },
    root,
  );
  const checkpoint = await openCheckpoint(settings, world.options);

  function call(
    tool: string,
    input: unknown,
    more: Partial<Omit<Call, 'tool' | 'input'>> = {},
  ): Promise<Reply> {
    return checkpoint.gateway.call({
      tool,
      input,
      arrival: local,
      signal: new AbortController().signal,
      ...more,
    });
  }

  async function close(): Promise<void> {
    await checkpoint.close();
    rmSync(folder, { recursive: true, force: true });
  }

  return { checkpoint, settings, root, folder, call, close, [Symbol.asyncDispose]: close };
}

/** The person at this machine. */
export const local: Arrival = { transport: 'stdio', connectionId: 'test-connection' };

/** Somebody over the network, with or without a token. */
export function remote(bearer?: string): Arrival {
  return { transport: 'http', address: '192.0.2.7', ...(bearer === undefined ? {} : { bearer }) };
}

/** The output of a reply that must be one. */
export function outputOf(reply: Reply): Readonly<Record<string, unknown>> {
  if (reply.kind !== 'output') throw new Error(`expected output, got ${JSON.stringify(reply)}`);
  return reply.structured ?? {};
}

/** The error of a reply that must be one. */
export function errorOf(reply: Reply): Readonly<Record<string, unknown>> {
  if (reply.kind !== 'error')
    throw new Error(`expected an error, got ${JSON.stringify(reply).slice(0, 500)}`);
  return reply.structured.error;
}
