import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { allEmbedded, embeddingsAt } from './embedded-store.ts';
import { startEmbeddings } from './embeddings-server.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

test.for(engines)(
  'a server killed over its queue on $name leaves it to the next',
  async (engine, { skip }) => {
    if (engine.missing !== undefined) skip(engine.missing);
    const server = await startEmbeddings();
    const place = await engine.createPlace();
    const script = join(import.meta.dirname, 'remember-forever.ts');
    const args = ['--no-warnings', script, place.url, place.folder, server.url];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const said: string[] = [];
    const lines = createInterface({ input: child.stdout });
    // It dies with a request on its way and more to come.
    await new Promise<void>((resolve) => {
      server.script = ({ input }) => {
        if (said.length <= 40 || input.length < 2) return undefined;
        resolve();
        return 'held';
      };
      lines.on('line', (line) => said.push(line));
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    server.script = undefined;

    const next = await place.open(undefined, { embeddings: embeddingsAt(server.url) });
    await next.memoriesFor('user:ann').recall({ query: '', limit: 1 });
    await allEmbedded(next);
    const stored = (await (await next.engine()).db.selectFrom('memories').select('content').execute()).map(
      ({ content }) => content,
    );
    expect(stored).toEqual(expect.arrayContaining(said.slice(0, -1).map((number) => `note ${number}`)));
    expect([...new Set(server.texts)].toSorted()).toEqual(stored.toSorted());
  },
);
