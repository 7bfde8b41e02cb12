import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { startFile } from '../support/run-command.ts';
import { startEmbeddings } from './embeddings-server.ts';

const run = promisify(execFile);

const longKey = 'sk-aSecretKey-42';

function openHome(config: object) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-embed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'project');
  mkdirSync(root);
  const path = join(folder, 'sekisho.jsonc');
  writeFileSync(path, JSON.stringify({ state: join(folder, 'state'), ...config }));
  async function sekisho(...args: string[]) {
    const env = {
      HOME: folder,
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      EMBED_KEY: 'sk-7',
      LONG_KEY: longKey,
    };
    return run(process.execPath, [startFile, ...args, '--config', path], { cwd: root, env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }
  return { sekisho, folder, root, path };
}

test('memory embed says how far it is, embeds what waits, and starts anew when told', async () => {
  const server = await startEmbeddings();
  const embeddings = { url: server.url, model: 'fake', keyVariable: 'EMBED_KEY', dimensions: 256 };
  const { sekisho, folder } = openHome({ memory: { embeddings } });
  writeFileSync(join(folder, 'm.jsonl'), '{"content": "one"}\n{"content": "two"}\n{"content": "three"}\n');
  server.script = (_, response) => response.writeHead(503).end('{"error": "starting up, sk-7"}');
  expect(await sekisho('memory', 'import', join(folder, 'm.jsonl'))).toMatchObject({ code: 0 });

  expect(await sekisho('memory', 'embed', '--status', '--json')).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ model: 'fake', url: server.url, memories: 3, embedded: 0, waiting: 3, refused: 0 })}\n`,
  });
  server.script = undefined;
  // What the import could not embed may be due again in a second only.
  await expect.poll(async () => (await sekisho('memory', 'embed')).code).toBe(0);
  expect((await sekisho('doctor')).stdout).toMatch(/^ok +embeddings +256 dimensions$/m);
  expect((await sekisho('memory', 'embed')).stdout).toBe('3 of 3 memories embedded by fake; waiting: 0.\n');
  const texts = () => server.texts.filter((text) => text !== 'sekisho').toSorted();
  expect(texts()).toEqual(['one', 'three', 'two']);
  expect(await sekisho('memory', 'embed', '--all')).toMatchObject({ code: 0 });
  expect(texts()).toHaveLength(6);
  expect(server.asked.at(-1)).toMatchObject({
    headers: { authorization: 'Bearer sk-7' },
    body: { dimensions: 256 },
  });

  server.script = (_, response) => response.writeHead(503).end('starting up, sk-7');
  expect((await sekisho('doctor')).stdout).toMatch(/^missing +embeddings +the server answered 503/m);
  const stopped = await sekisho('memory', 'embed', '--all');
  expect(stopped).toMatchObject({ code: 1, stdout: '0 of 3 memories embedded by fake; waiting: 3.\n' });
  expect(stopped.stderr).toContain('the server answered 503: starting up, …');
  // What is exported is text.
  expect((await sekisho('memory', 'export')).stdout.split('\n')[0]).toMatch(/^\{"content":"one","category"/);
});

test('recall through the whole server uses what is configured, and answers where nobody listens', async () => {
  const server = await startEmbeddings();
  const embeddings = { url: server.url, model: 'fake', timeoutMs: 10_000 };
  const { sekisho, folder } = openHome({ memory: { embeddings }, toolsets: ['assistant'] });
  writeFileSync(join(folder, 'm.jsonl'), '{"content": "Our pup is afraid of thunder."}\n');
  await sekisho('memory', 'import', join(folder, 'm.jsonl'));
  await expect.poll(async () => (await sekisho('memory', 'embed')).code).toBe(0);
  const ask = async () =>
    JSON.parse((await sekisho('call', 'recall', '{"query": "What scares the dog?"}', '--json')).stdout);

  expect((await ask()).memories).toMatchObject([
    { content: 'Our pup is afraid of thunder.', low_confidence: true },
  ]);
  server.script = (_, response) => response.writeHead(503).end();
  expect((await ask()).memories).toEqual([]);
});

test('a key that is a secret goes to its hosts alone, and the server’s answers do not show it', async () => {
  const server = await startEmbeddings();
  const embeddings = { url: server.url, model: 'fake', keySecret: 'openai' };
  const secretFor = (host: string) => ({
    openai: { hosts: [host], commands: false, from: { env: 'LONG_KEY' } },
  });
  const { host } = new URL(server.url);
  const { sekisho } = openHome({ memory: { embeddings }, secrets: secretFor(host) });
  expect((await sekisho('doctor')).stdout).toMatch(/^ok +embeddings +256 dimensions$/m);
  expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${longKey}`);
  server.script = (_, response) => response.writeHead(503).end(`starting up, ${longKey}`);
  expect((await sekisho('doctor')).stdout).toMatch(/the server answered 503: starting up, …$/m);

  const other = openHome({ memory: { embeddings }, secrets: secretFor('elsewhere.example') });
  expect((await other.sekisho('doctor')).stdout).toMatch(/^missing +embeddings .*may not go to 127/m);
  expect(server.asked).toHaveLength(2);
});

test('memory embed without embeddings says what to configure', async () => {
  const { sekisho } = openHome({});
  const { code, stderr } = await sekisho('memory', 'embed');
  expect(code).toBe(2);
  expect(stderr).toContain('memory.embeddings');
});

test.each([
  [{ model: '' }, 'memory.embeddings.model'],
  [{}, 'memory.embeddings.model'],
  [{ model: 'x', url: 'ftp://a/v1' }, 'memory.embeddings.url'],
  [{ model: 'x', url: 'http://u:secret@a/v1' }, 'must not contain a password'],
  [{ model: 'x', keyVariable: 'NOT_SET_HERE' }, 'the variable NOT_SET_HERE is not set'],
  [{ model: 'x', keyVariable: 'not a name' }, 'memory.embeddings.keyVariable'],
  [{ model: 'x', keySecret: 'none' }, 'memory.embeddings.keySecret must name an entry of secrets'],
  [{ model: 'x', apiKey: 'sk-live' }, 'memory.embeddings'],
  [{ model: 'x', dimensions: 0 }, 'memory.embeddings.dimensions'],
  [{ model: 'x', timeoutMs: 0 }, 'memory.embeddings.timeoutMs'],
])('%o is refused when it is read', (embeddings, words) => {
  const { path, root } = openHome({ memory: { embeddings } });
  const read = () => loadSettings({ config: path, root }, { HOME: root }, root);
  expect(read).toThrow(words);
  expect(read).not.toThrow(/u:secret|sk-live/);
});

test('what is not said has its default', () => {
  const { path, root } = openHome({ memory: { embeddings: { model: 'bge-m3' } } });
  expect(loadSettings({ config: path, root }, { HOME: root }, root).memory.embeddings).toEqual({
    url: 'http://127.0.0.1:11434/v1',
    model: 'bge-m3',
    keyVariable: undefined,
    keySecret: undefined,
    dimensions: undefined,
    timeoutMs: 300,
  });
});
