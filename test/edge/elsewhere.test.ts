import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import { openAskServer } from '../ask/http-world.ts';
import { openScriptedModel, says } from '../ask/scripted-model.ts';
import { needs, sandbox } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { openWithServers, type ServerWorld, wordsOf } from '../upstream/world.ts';
import { openOrigin } from './world.ts';

const canary = 'ghp_aCanaryThatNobodyMaySee42';
const folder = mkdtempSync(join(tmpdir(), 'sekisho-elsewhere-'));
const keyFile = join(folder, 'key');
const callerFile = join(import.meta.dirname, '..', 'upstream', 'fixtures', 'caller.ts');

beforeEach(() => writeFileSync(keyFile, `${canary}\n`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Secret = NonNullable<ConfigFile['secrets']>[string];
const secretFor = (host: string, more: Partial<Secret> = {}): Secret => ({
  hosts: [host],
  commands: false,
  from: { file: keyFile },
  ...more,
});

describe('A secret of a proxied server', needs(sandbox('bubblewrap')), () => {
  let origin: Awaited<ReturnType<typeof openOrigin>>;
  let world: ServerWorld | undefined;
  beforeAll(async () => {
    origin = await openOrigin('127.0.0.2');
    writeFileSync(join(folder, 'its.pem'), origin.certificate);
    vi.stubEnv('SSL_CERT_FILE', join(folder, 'its.pem'));
  });
  afterEach(() => world?.close());
  afterAll(() => {
    vi.unstubAllEnvs();
    origin.close();
  });

  test('is a stand-in where it runs in the sandbox, and the value in its requests', async () => {
    const host = `127.0.0.2:${origin.port}`;
    const env = { KEY: '${secret:api}' };
    const caller = { command: process.execPath, args: [callerFile], env, network: [host] };
    world = await openWithServers(
      { caller },
      { config: { mode: 'full-access', secrets: { api: secretFor(host) } } },
    );
    const call = async (input: object) => wordsOf((await world?.call('caller__request', input)) as never);
    origin.arrived.length = 0;

    // A call of a proxied tool is judged itself: its requests are not asked about.
    for (const method of ['GET', 'POST'])
      expect(await call({ url: `https://${host}/a`, method })).toMatch(/^200/);
    expect(origin.arrived.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${canary}`,
      `Bearer ${canary}`,
    ]);
    const seen = seenIn(await call({}));
    expect(seen).not.toContain(canary);
    expect(seen).toMatch(/"KEY":"ghp_[A-Za-z\d]{25}"/);
    rmSync(keyFile);
    expect(await call({ url: `https://${host}/a` })).toContain('403 ');
    expect(origin.arrived).toHaveLength(2);
  });

  test('is the value where it runs without one, and its absence is told', async () => {
    const host = 'api.test';
    const caller = {
      command: process.execPath,
      args: [callerFile],
      env: { KEY: '${secret:api}' },
      sandbox: 'off' as const,
    };
    const config: ConfigFile = { mode: 'full-access', secrets: { api: secretFor(host) } };
    world = await openWithServers({ caller }, { config });
    const reply = await world.call('caller__look', {});
    expect(seenIn(wordsOf(reply))).toContain(`"KEY":"${canary}"`);
    await world.close();
    rmSync(keyFile);
    world = await openWithServers({ caller }, { config });
    const error = errorOf(await world.call('caller__look', {}));
    expect(error).toMatchObject({ message: expect.stringContaining('`sekisho secret test api` says why') });
    expect(JSON.stringify(error)).not.toContain(keyFile);
  });
});

/** What the server of the fixture shows. */
function seenIn(words: string): string {
  return Buffer.from(Buffer.from(words, 'base64').map((byte) => byte ^ 1)).toString('latin1');
}

/** An http server of this machine, to which secrets go in the clear. */
async function openApi(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An MCP server that answers each call with the header that it got. */
function mcpServer(seen: (string | undefined)[], redirectTo?: (path?: string) => string | undefined) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const key = request.headers['x-api-key'] as string | undefined;
    seen.push(key);
    let body = '';
    for await (const part of request) body += part;
    const { id, method, params } = body === '' ? ({} as Record<string, never>) : JSON.parse(body);
    const to = redirectTo?.(request.url);
    if (to !== undefined) return response.writeHead(307, { location: to }).end();
    if (request.method !== 'POST') return response.writeHead(405).end();
    if (id === undefined) return response.writeHead(202).end();
    const inputSchema = { type: 'object', properties: {} };
    const result: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'a', version: '1' },
      },
      'tools/list': { tools: [{ name: 'who', description: 'Says it.', inputSchema }] },
      'tools/call': {
        content: [{ type: 'text', text: `you are ${key}, ${encodeURIComponent(String(key))}` }],
      },
    };
    const found = result[String(method)];
    response.writeHead(200, { 'content-type': 'application/json', 'x-echo': String(key) });
    const error = { code: -32601, message: 'unknown' };
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(found ? { result: found } : { error }) }));
  };
}

describe('A header of a remote server', () => {
  test('gets the value, which its answers do not show', async () => {
    const seen: (string | undefined)[] = [];
    await using api = await openApi(mcpServer(seen));
    const headers = { 'X-Api-Key': '${secret:api}' };
    await using world = await openWithServers(
      { a: { url: `${api.url}/mcp`, headers } },
      { config: { mode: 'full-access', secrets: { api: secretFor(api.host, { as: 'header:X-Api-Key' }) } } },
    );
    const words = wordsOf(await world.call('a__who', {}));
    expect(words).toContain('you are ${secret:api}');
    expect(words).not.toContain('Canary');
    expect(new Set(seen)).toEqual(new Set([canary]));
    rmSync(keyFile);
    const error = errorOf(await world.call('a__who', {}));
    expect(error).toMatchObject({ message: expect.stringContaining('`sekisho secret test api` says why') });
    expect(JSON.stringify(error)).not.toContain(keyFile);
  });

  test.each([false, true])('follows a redirect only within its origin: %s', async (isWithin) => {
    const [seen, elsewhere]: [(string | undefined)[], (string | undefined)[]] = [[], []];
    await using other = await openApi(mcpServer(elsewhere));
    const to = (path?: string) => (path === '/mcp' ? `${isWithin ? '' : other.url}/mcp/` : undefined);
    await using api = await openApi(mcpServer(seen, to));
    const secrets = { api: secretFor(api.host, { as: 'header:x-api-key' }) };
    const headers = { 'X-Api-Key': '${secret:api}' };
    await using world = await openWithServers(
      { a: { url: `${api.url}/mcp`, headers } },
      { config: { mode: 'full-access', secrets } },
    );
    const reply = JSON.stringify(await world.call('a__who', {}));
    expect(reply).toContain(isWithin ? 'you are ${secret:api}' : 'cannot be reached');
    expect(seen).toContain(canary);
    expect(elsewhere).toEqual([]);
  });

  test('goes by the other limits of the secret, too', async () => {
    const seen: (string | undefined)[] = [];
    await using api = await openApi(mcpServer(seen));
    const headers = { 'X-Api-Key': '${secret:api}' };
    await using world = await openWithServers(
      { a: { url: `${api.url}/mcp`, headers } },
      { config: { mode: 'full-access', secrets: { api: secretFor(api.host) } } },
    );
    expect(JSON.stringify(await world.call('a__who', {}))).toContain('secrets.api.as: header:x-api-key');
    expect(seen).toEqual([]);
  });
});

describe('web_fetch with a secret', () => {
  const open = (allowPrivate: readonly string[], secret: Secret) =>
    openTestCheckpoint({
      config: {
        toolsets: ['assistant'],
        web: { allowPrivate: [...allowPrivate] },
        secrets: { api: { webFetch: true, ...secret } },
      },
    });

  test('sends it to its hosts by their rules, and shows no answer with it', async () => {
    const seen: string[] = [];
    await using api = await openApi((request, response) => {
      const { authorization = 'none' } = request.headers;
      seen.push(`${request.url} ${authorization}`);
      if (request.url === '/ours/gone') return response.writeHead(404, canary).end(authorization);
      const tagged = [...authorization].map((char) => `<b>${char}</b>`).join('');
      const page = `<html lang="${authorization}"><title>${authorization}</title><p>Long text of a page: ${authorization} ${encodeURIComponent(authorization)} ${Buffer.from(authorization).toString('base64')} ${tagged}</p></html>`;
      response.writeHead(200, {
        'content-type': 'text/html',
        'content-encoding': 'gzip',
        etag: `"${authorization}"`,
      });
      return response.end(gzipSync(page));
    });
    await using world = await open([api.host], secretFor(api.host, { paths: ['/ours/**'] }));
    const reply = await world.call('web_fetch', { url: `${api.url}/ours/a`, full: true });
    await world.call('web_fetch', { url: `${api.url}/theirs/a` });
    const gone = await world.call('web_fetch', { url: `${api.url}/ours/gone` });
    expect(seen).toEqual([`/ours/a Bearer ${canary}`, '/theirs/a none', `/ours/gone Bearer ${canary}`]);
    const shown = JSON.stringify([reply, gone]);
    expect(shown).not.toContain('CanaryThat');
    expect(shown).not.toContain(Buffer.from(`Bearer ${canary}`).toString('base64').slice(12, 32));
    expect(shown).toContain('${secret:api}');
    const { audit } = await world.checkpoint.store();
    expect(JSON.stringify(await audit.search({ limit: 100 }))).not.toContain('CanaryThat');
  });

  test('follows no redirect with it, neither away from its hosts nor from elsewhere to them', async () => {
    const seen: string[] = [];
    await using api = await openApi((request, response) => {
      seen.push(`api ${request.url} ${request.headers.authorization ?? 'none'}`);
      if (request.url === '/away')
        return response.writeHead(302, { location: `${other.url}/got?${canary}` }).end();
      if (request.url === '/round') return response.writeHead(302, { location: '/end' }).end();
      return response.end('the end');
    });
    await using other = await openApi((request, response) => {
      seen.push(`other ${request.url} ${request.headers.authorization ?? 'none'}`);
      if (request.url === '/to') return response.writeHead(302, { location: `${api.url}/private` }).end();
      return response.end('elsewhere');
    });
    await using world = await open([api.host, other.host], secretFor(api.host));
    for (const url of [`${api.url}/away`, `${other.url}/to`, `${api.url}/round`])
      outputOf(await world.call('web_fetch', { url }));
    expect(seen).toEqual([
      `api /away Bearer ${canary}`,
      expect.stringMatching(/^other \/got\?(?!.*CanaryThat).* none$/),
      'other /to none',
      'api /private none',
      `api /round Bearer ${canary}`,
      `api /end Bearer ${canary}`,
    ]);
  });

  test.each([
    ['header:X-Api-Key', 'x-api-key', canary],
    ['basic', 'authorization', `Basic ${Buffer.from(`x-access-token:${canary}`).toString('base64')}`],
  ] as const)('sends it as the configuration says: %s', async (as, field, value) => {
    const seen: unknown[] = [];
    await using api = await openApi((request, response) => {
      seen.push(request.headers[field]);
      response.end('ok');
    });
    await using world = await open([api.host], secretFor(api.host, { as }));
    outputOf(await world.call('web_fetch', { url: `${api.url}/a` }));
    expect(seen).toEqual([value]);
  });

  test('is not sent without being asked for', async () => {
    const seen: unknown[] = [];
    await using api = await openApi((request, response) => {
      seen.push(request.headers.authorization);
      response.end('ok');
    });
    await using world = await open([api.host], secretFor(api.host, { webFetch: false }));
    outputOf(await world.call('web_fetch', { url: `${api.url}/a` }));
    expect(seen).toEqual([undefined]);
  });
});

describe('A model with a secret', () => {
  test.each([true, false])('gets its key, at a listed host only: %s', async (isListed) => {
    await using model = await openScriptedModel(says('Hello.'));
    const { host } = new URL(model.url);
    await using server = await openAskServer(undefined, {
      config: {
        models: { test: { model: 'scripted-1', url: model.url, keySecret: 'api' } },
        secrets: { api: secretFor(isListed ? host : 'api.test') },
      },
    });
    const { body } = await server.ask('ann', { message: 'Say hello.' });
    expect(model.seen.map(({ authorization }) => authorization)).toEqual(
      isListed ? [`Bearer ${canary}`] : [],
    );
    if (isListed) expect(body).toMatchObject({ answer: 'Hello.' });
    else expect(JSON.stringify(body)).toContain('secrets.api.hosts lists api.test');
  });
});

test.each<[ConfigFile, string]>([
  [{ mcpServers: { a: { url: 'https://a.test', headers: { A: '${secret:no}' } } } }, 'add secrets.no'],
  [{ mcpServers: { a: { url: 'https://a.test/${secret:api}' } } }, '${secret:api} is not supported here'],
  [{ models: { m: { model: 'm', keySecret: 'no' } } }, 'models.m.keySecret must name an entry of secrets'],
  [
    { secrets: { q: { hosts: ['a.test'], as: 'query:key', webFetch: true } } },
    'secrets.q.webFetch needs a header',
  ],
])('A configuration that cannot work is refused: %j', (config, because) => {
  const path = join(folder, 'c.jsonc');
  writeFileSync(
    path,
    JSON.stringify({ secrets: { api: { hosts: ['a.test'], commands: false } }, ...config }),
  );
  expect(() =>
    loadSettings({ root: folder, config: path, state: '/tmp/none' }, { HOME: folder }, folder),
  ).toThrow(because);
});

test.each<[ConfigFile['mcpServers'], string]>([
  [
    { a: { command: 'true', env: { A: '${secret:api}' } } },
    'servers.a.network names no host of the secret “api”',
  ],
  [
    { a: { url: 'https://b.test', headers: { A: '${secret:api}' } } },
    'servers.a.url names no host of the secret “api”',
  ],
])('A server that could not use its secret is refused: %j', async (mcpServers, because) => {
  const config: ConfigFile = { mcpServers, secrets: { api: { hosts: ['a.test'], commands: false } } };
  await expect(openTestCheckpoint({ config })).rejects.toThrow(because);
});
