import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStore, type Store, type StoreOptions } from '../../src/store/open-store.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** One database engine to run a suite on; `missing` says why it cannot be had here. */
export interface TestEngine {
  readonly name: string;
  readonly missing: string | undefined;
  /** An empty database and a state folder, gone when the test ends; several stores may be opened on it. */
  createPlace(): Promise<Place>;
  /** The database itself, for tests that end it under its users. */
  readonly server?: PostgresServer;
  stop(): Promise<void>;
}

export interface Place {
  readonly url: string;
  readonly folder: string;
  open(clock?: () => number, more?: Partial<StoreOptions>): Promise<Store>;
}

/** Both engines, for `describe.each`. Call it once in a file, and `stop` them when it ends. */
export async function startEngines(): Promise<readonly TestEngine[]> {
  const server = await startPostgres();
  const missing = 'missing' in server ? server.missing : undefined;
  return [
    {
      name: 'SQLite',
      missing: undefined,
      createPlace: async () => place((folder) => `sqlite:${join(folder, 'records.db')}`),
      stop: async () => {},
    },
    {
      name: 'PostgreSQL',
      missing,
      ...('stop' in server && { server }),
      createPlace: async () => {
        const url = await (server as PostgresServer).createDatabase();
        return place(() => url);
      },
      stop: async () => {
        if ('stop' in server) await server.stop();
      },
    },
  ];
}

function place(urlIn: (folder: string) => string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-store-'));
  const stores: Store[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = urlIn(folder);
  return {
    url,
    folder,
    async open(clock, more) {
      const store = await openStore({ url, stateFolder: folder, clock, ...more });
      stores.push(store);
      return store;
    },
  };
}
