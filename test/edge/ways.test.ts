/**
 * Sixty ways to send words to a listed host, and sixty to read from it, by real programs in a session's sandbox: no byte of
 * a body arrives before a person was asked, and no reading way is asked about. `npx vitest run --project slow test/edge/ways`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { gitBackend } from './git-backend.ts';
import { reading, sending, setUp, type Way } from './ways/table.ts';

const host = '127.0.0.2';
/** Plain words, as somebody's notes have them. */
const words = (at: number) => `plan ${at} for the spring is to open a second shop near the old harbour`;

describe('Sixty ways', needs(sandbox('bubblewrap')), () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-ways-'));
  const arrived: string[] = [];
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  let closeOrigin = () => {};
  let names: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    const { certificate, credentialsFor } = createAuthority();
    writeFileSync(join(folder, 'its.pem'), certificate);
    vi.stubEnv('SSL_CERT_FILE', join(folder, 'its.pem'));
    const answer = originOf(folder, arrived);
    const secure = createSecureServer({ ...credentialsFor(host), allowHTTP1: true }, answer as never);
    const plain = createPlainServer(answer);
    for (const server of [secure, plain]) {
      server.on('upgrade', (request: IncomingMessage) => arrived.push(`UPGRADE ${request.url}`));
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
    }
    const [tls, clear] = [secure, plain].map((server) => (server.address() as AddressInfo).port);
    closeOrigin = () => {
      plain.closeAllConnections();
      plain.close();
      secure.close();
    };
    names = { URL: `https://${host}:${tls}`, PLAIN: `http://${host}:${clear}`, CARGO: cargo() };
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      config: {
        approval: { waitMs: 1 },
        process: {
          readable: [/^PATH=(.+)\/bin:/.exec(names.CARGO ?? '')?.[1] ?? []].flat(),
          network: [tls, clear].map((port) => `${host}:${port}`),
        },
      },
    });
    const ways = join(import.meta.dirname, 'ways');
    for (const file of readdirSync(ways)) cpSync(join(ways, file), join(world.root, file));
    for (const name of ['ws', 'undici'])
      cpSync(join(import.meta.dirname, '../../node_modules', name), join(world.root, 'node_modules', name), {
        recursive: true,
      });
    if (!programs('javac')) execFileSync('javac', ['Ways.java'], { cwd: world.root });
    mkdirSync(join(folder, 'git'));
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(folder, 'git/app.git')]);
    await run(setUp, 0);
    execFileSync('git', [
      ...['-C', join(world.root, 'repo'), 'push', '-q', join(folder, 'git/app.git')],
      ...['HEAD:main', 'HEAD:refs/heads/side'],
    ]);
  }, 120_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await world.close();
    closeOrigin();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(line: string, at: number) {
    const command = Object.entries({ ...names, WORDS: words(at) }).reduce(
      (all, [name, value]) => all.replaceAll(`{${name}}`, value),
      line,
    );
    return outputOf(await world.call('bash', { command, timeout_seconds: 60 }));
  }
  async function asked() {
    const { approvals } = await world.checkpoint.store();
    return (await approvals.list('pending', Date.now())).length;
  }

  for (const [at, { line, program }] of sending.entries())
    test(`asked: ${line}`, { ...needs(programs(program)), timeout: 90_000 }, async () => {
      const before = await asked();
      arrived.length = 0;
      const output = await run(line, at);
      expect(arrived.filter((each) => tells(each, words(at)))).toEqual([]);
      expect(await asked(), JSON.stringify(output)).toBeGreaterThan(before);
    });

  for (const [at, { line, program }] of reading.entries())
    test(`unasked: ${line}`, { ...needs(programs(program)), timeout: 90_000 }, async () => {
      const before = await asked();
      arrived.length = 0;
      const output = await run(line, at);
      expect(await asked(), JSON.stringify(output)).toBe(before);
      expect(arrived.length, JSON.stringify(output)).toBeGreaterThan(0);
      expect(output, JSON.stringify(output)).toMatchObject({ exit_code: 0 });
    });

  test('there are sixty of each', () => {
    const here = (ways: readonly Way[]) => ways.filter(({ program }) => !programs(program)).length;
    expect(Math.min(here(sending), here(reading))).toBeGreaterThanOrEqual(60);
  });
});

/** The programs that rustup puts on PATH choose a toolchain by the home folder. */
function cargo(): string {
  if (programs('rustup')) return 'cargo';
  const env = { ...process.env, HOME: userInfo().homedir };
  return `PATH=${dirname(execFileSync('rustup', ['which', 'cargo'], { encoding: 'utf8', env }))}:$PATH cargo`;
}

/** Whether a request that arrived does more than read, or holds some of the words in any coding. */
function tells(request: string, whole: string): boolean {
  if (!/^(GET|HEAD|OPTIONS) /.test(request)) return true;
  const decoded = request.replace(/[\w+/-]{16,}={0,2}/g, (each) => `${each} ${Buffer.from(each, 'base64')}`);
  const plain = decodeURIComponent(decoded.replace(/%(?![\da-f]{2})/gi, '%25')).replace(/[-+]/g, ' ');
  return plain.includes(whole.slice(0, 20)) || plain.includes(whole.slice(-20));
}

/** Notes each request with its headers and its body, and answers as a registry, a bucket, git or just a host. */
function originOf(folder: string, arrived: string[]) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '', headers } = request;
    const noted = `${method} ${url} ${JSON.stringify(headers)} `;
    if (url.startsWith('/app.git')) {
      arrived.push(/upload-pack/.test(url) ? `GET ${url}` : noted);
      return gitBackend(join(folder, 'git'), request, response, request);
    }
    const parts: Buffer[] = [];
    for await (const part of request.on('error', () => {})) parts.push(part as Buffer);
    arrived.push(noted + Buffer.concat(parts).toString('latin1'));
    const json = (value: object) => response.end(JSON.stringify(value));
    const base = `https://${headers[':authority'] ?? headers.host}`;
    if (url === '/config.json' || url.endsWith('/index/config.json'))
      return json({ dl: `${base}/dl`, api: base });
    if (/^\/(index\/)?no\/te\/notes$/.test(url))
      return response.end(
        `${JSON.stringify({ name: 'notes', vers: '0.1.0', deps: [], cksum: '0'.repeat(64), features: {}, yanked: false })}\n`,
      );
    if (url.endsWith('/dist-tags')) return json({ latest: '1.0.0' });
    if (/^\/(notes|left-pad)(\?|$)/.test(url) && /npm/.test(headers['user-agent'] ?? ''))
      return json({
        name: 'notes',
        'dist-tags': { latest: '1.0.0' },
        versions: {
          '1.0.0': { name: 'notes', version: '1.0.0', dist: { tarball: `${base}/x.tgz`, shasum: '0' } },
        },
      });
    if (url.startsWith('/api/v1/crates?')) return json({ crates: [], meta: { total: 0 } });
    if (url.startsWith('/simple')) {
      response.setHeader('content-type', 'text/html');
      return response.end('<a href="/files/six-1.0.tar.gz">six-1.0.tar.gz</a>');
    }
    if (/^\/v2\/(.*\/)?(tags\/list)?$/.test(url)) return json({ name: 'app', tags: ['1'] });
    if (headers['content-type']?.startsWith('application/grpc')) return response.end();
    if (url.endsWith('.json') || url.startsWith('/graphql')) return json({ data: {} });
    response.end(method === 'HEAD' ? undefined : `items of ${url.slice(0, 40)}\n`);
  };
}
