import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { createAuthority } from '../../../src/network/edge/authority.ts';
import { programs } from '../../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../../support/open-test-checkpoint.ts';
import { gitBackend } from '../git-backend.ts';
import { setUp } from './table.ts';

const host = '127.0.0.2';
/** Plain words, as somebody's notes have them. */
export const words = (at: number) =>
  `plan ${at} for the spring is to open a second shop near the old harbour`;

/** A host with and without TLS that speaks many protocols. */
export async function openHost() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-ways-'));
  const arrived: string[] = [];
  const { certificate, credentialsFor } = createAuthority();
  const answer = originOf(folder, arrived);
  const secure = createSecureServer({ ...credentialsFor(host), allowHTTP1: true }, answer as never);
  const plain = createPlainServer(answer);
  for (const server of [secure, plain]) {
    server.on('upgrade', (request: IncomingMessage) => arrived.push(`UPGRADE ${request.url}`));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
  }
  const [tls, clear] = [secure, plain].map((server) => (server.address() as AddressInfo).port);
  const names = { URL: `https://${host}:${tls}`, PLAIN: `http://${host}:${clear}`, CARGO: cargo() };
  mkdirSync(join(folder, 'git'));
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(folder, 'git/app.git')]);

  const lineOf = (line: string, at: number) =>
    Object.entries({ ...names, WORDS: words(at) }).reduce(
      (all, [name, value]) => all.replaceAll(`{${name}}`, value),
      line,
    );
  return {
    folder,
    certificate,
    arrived,
    lineOf,
    entries: [tls, clear].map((port) => `${host}:${port}`),
    /** Puts into a folder what the ways need. `run` runs a line in it. */
    async prepare(root: string, run: (line: string) => Promise<unknown>) {
      for (const file of readdirSync(import.meta.dirname))
        cpSync(join(import.meta.dirname, file), join(root, file));
      for (const name of ['ws', 'undici'])
        cpSync(join(import.meta.dirname, '../../../node_modules', name), join(root, 'node_modules', name), {
          recursive: true,
        });
      if (!programs('javac')) execFileSync('javac', ['Ways.java'], { cwd: root });
      await run(lineOf(setUp, 0));
      execFileSync('git', [
        ...['-C', join(root, 'repo'), 'push', '-q', join(folder, 'git/app.git')],
        ...['HEAD:main', 'HEAD:refs/heads/side'],
      ]);
    },
    close() {
      plain.closeAllConnections();
      plain.close();
      secure.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The host, and a session whose commands may reach it. */
export async function openWays() {
  const opened = await openHost();
  const { folder, certificate, arrived, entries, lineOf } = opened;
  writeFileSync(join(folder, 'its.pem'), certificate);
  vi.stubEnv('SSL_CERT_FILE', join(folder, 'its.pem'));
  const world = await openTestCheckpoint({
    flags: { profile: 'coding' },
    config: {
      approval: { waitMs: 1 },
      process: { readable: toolchain(), network: entries },
    },
  });
  const bash = async (command: string) =>
    outputOf(await world.call('bash', { command, timeout_seconds: 60 }));
  await opened.prepare(world.root, bash);
  return {
    arrived,
    run: (line: string, at: number) => bash(lineOf(line, at)),
    async asked() {
      const { approvals } = await world.checkpoint.store();
      return (await approvals.list('pending', Date.now())).length;
    },
    async close() {
      vi.unstubAllEnvs();
      await world.close();
      opened.close();
    },
  };
}

/** Cargo's, if it is rustup's. */
export function toolchain(): string[] {
  return [/^PATH=(.+)\/bin:/.exec(cargo())?.[1] ?? []].flat();
}

/** The programs that rustup puts on PATH choose a toolchain by the home folder. */
export function cargo(): string {
  if (programs('rustup')) return 'cargo';
  const env = { ...process.env, HOME: userInfo().homedir };
  return `PATH=${dirname(execFileSync('rustup', ['which', 'cargo'], { encoding: 'utf8', env }))}:$PATH cargo`;
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
    // The programs of S3 take a body for an error.
    if (method === 'PUT' && url.startsWith('/bucket/')) return response.end();
    if (url === '/api/v1/crates/new') return json({ warnings: {} });
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
