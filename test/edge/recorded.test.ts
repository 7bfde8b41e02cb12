import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { judgeRequest } from '../../src/network/edge/kinds/judge.ts';
import { refusalOf } from '../../src/network/edge/kinds/refusal.ts';
import type { EdgeRequest, RequestVerdict } from '../../src/network/edge/request.ts';
import { needs, programs } from '../support/needs.ts';
import { gitBackend } from './git-backend.ts';

const run = promisify(execFile);

let folder = '';
let port = 0;
let judged: (RequestVerdict & { readonly line: string })[] = [];
/** In which words what does more than read is refused; undefined: it is not. */
let refusal: string | undefined;
let close = async () => {};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sekisho-kinds-'));
  judged = [];
  refusal = undefined;
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const body = Buffer.concat(chunks);
      const request = requestOf(message, body);
      const verdict = judgeRequest(request);
      judged.push({ ...verdict, line: `${request.method} ${request.target}` });
      if (refusal === undefined || verdict.kind === 'read') return void answer(message, response, body);
      const refused = refusalOf(verdict.dialect, request, refusal);
      response.writeHead(refused.status, refused.reason, refused.headers.flat());
      response.end(refused.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  close = () => new Promise((resolve) => server.close(() => resolve()));
});

afterEach(async () => {
  await close();
  await rm(folder, { recursive: true });
});

/** A request as if it came for a host of strangers. */
function requestOf(message: IncomingMessage, body: Buffer): EdgeRequest {
  const headers: [string, string][] = [];
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.push([message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '']);
  const { method = '', url = '' } = message;
  return {
    method,
    scheme: 'http',
    host: '127.0.0.1',
    port,
    target: url,
    headers,
    bodyStart: body.subarray(0, 64 * 1024),
    bodyIsWhole: body.length <= 64 * 1024,
    bodyBytes: body.length,
  };
}

/** A bare repository by git's own server, a package of npm, one of PyPI, and a word for all else. */
async function answer(message: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  const { url = '', method } = message;
  if (url.startsWith('/git/')) {
    message.url = url.slice('/git'.length);
    return gitBackend(folder, message, response, Readable.from([body]));
  }
  if (method === 'GET' && url === '/left') {
    const dist = { tarball: `http://127.0.0.1:${port}/left/-/left-1.0.0.tgz` };
    return void response.end(
      JSON.stringify({
        name: 'left',
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { name: 'left', version: '1.0.0', dist } },
      }),
    );
  }
  if (method === 'GET' && url.endsWith('.tgz')) {
    const { stdout } = await run('tar', ['cz', '-C', folder, 'package'], { encoding: 'buffer' });
    return void response.end(stdout);
  }
  if (url.startsWith('/simple/')) {
    response.setHeader('content-type', 'text/html');
    return void response.end('<a href="/files/none.txt">none</a>');
  }
  response.end('{}');
}

const notRead = () => judged.filter(({ kind }) => kind !== 'read').map(({ kind, line }) => `${kind} ${line}`);

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  await run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd });
}

test('git reads by clone, fetch and ls-remote, and changes by push', needs(programs('git')), async () => {
  const url = `http://127.0.0.1:${port}/git/app.git`;
  await git(folder, 'init', '-q', '--bare', '-b', 'main', 'app.git');
  await git(folder, 'clone', '-q', url, 'one');
  const one = join(folder, 'one');
  for (let count = 0; count < 40; count += 1)
    await git(one, 'commit', '-q', '--allow-empty', '-m', `number ${count}`);
  await git(one, 'push', '-q', 'origin', 'HEAD:main');
  expect(notRead()).toEqual(['change POST /git/app.git/git-receive-pack']);
  expect(judged.at(-1)?.summary.en).toBe('pushes to refs/heads/main of git/app.git');

  judged = [];
  await git(folder, 'clone', '-q', url, 'two');
  await git(join(folder, 'two'), 'commit', '-q', '--allow-empty', '-m', 'mine');
  await git(one, 'commit', '-q', '--allow-empty', '-m', 'yours');
  await git(one, 'push', '-q', 'origin', 'HEAD:main');
  judged = [];
  await git(join(folder, 'two'), 'fetch', '-q', '--tags');
  await git(join(folder, 'two'), 'ls-remote', '-q');
  await git(join(folder, 'two'), '-c', 'protocol.version=0', 'fetch', '-q', 'origin');
  await git(folder, 'clone', '-q', '--depth', '1', '--filter=blob:none', url, 'three');
  expect(judged.length).toBeGreaterThan(6);
  expect(notRead()).toEqual([]);

  await git(one, 'push', '-q', 'origin', 'HEAD:side', '--force');
  await git(one, 'push', '-q', 'origin', ':side');
  expect(notRead()).toEqual([
    'change POST /git/app.git/git-receive-pack',
    'delete POST /git/app.git/git-receive-pack',
  ]);
});

test('npm reads by install and view, and publishes by publish', needs(programs('npm')), async () => {
  await mkdir(join(folder, 'package'));
  await writeFile(join(folder, 'package', 'package.json'), '{"name":"left","version":"1.0.0"}');
  const mine = join(folder, 'mine');
  await mkdir(mine);
  await writeFile(join(mine, 'package.json'), '{"name":"mine","version":"1.0.0"}');
  const options = [
    `--registry=http://127.0.0.1:${port}`,
    `--cache=${folder}/cache`,
    '--no-update-notifier',
    `--//127.0.0.1:${port}/:_authToken=abc`,
  ];
  await run('npm', ['install', 'left', '--no-audit', ...options], { cwd: mine });
  await run('npm', ['view', 'left', 'version', ...options], { cwd: mine });
  expect(judged.length).toBeGreaterThan(2);
  expect(notRead()).toEqual([]);
  await run('npm', ['publish', ...options], { cwd: mine });
  expect(notRead()).toEqual(['publish PUT /mine']);
});

test('pip reads by download', needs(programs('pip')), async () => {
  await run(
    'python3',
    [
      '-m',
      'pip',
      'download',
      'none',
      '--index-url',
      `http://127.0.0.1:${port}/simple`,
      '--disable-pip-version-check',
      '-q',
    ],
    { cwd: folder },
  ).catch(() => {});
  expect(judged.length).toBeGreaterThan(0);
  expect(notRead()).toEqual([]);
});

test('curl reads by what it reads with, and sends by what it sends', needs(programs('curl')), async () => {
  const url = `http://127.0.0.1:${port}`;
  const curl = (...args: readonly string[]) => run('curl', ['-sS', ...args]);
  await curl(`${url}/repos/o/r/issues?state=open&per_page=100&labels=good%20first%20issue`);
  await curl('-I', `${url}/file.tar.gz`);
  await curl(
    '-L',
    '--compressed',
    '-H',
    'Accept: application/json',
    '-A',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    `${url}/`,
  );
  await curl('-u', 'me:correct-horse', `${url}/private`);
  await curl('-H', 'Authorization: Bearer 0123456789abcdef0123456789abcdef', `${url}/api/v1/me`);
  await curl('-r', '0-99', `${url}/a`);
  await curl('-G', '-d', 'q=sekisho', '-d', 'page=2', `${url}/search`);
  expect(notRead()).toEqual([]);
  await curl('-d', 'a=1', `${url}/a`);
  await curl('-X', 'DELETE', `${url}/a`);
  await curl('-X', 'GET', '--data-binary', 'secret', `${url}/a`);
  await curl('-b', `session=${gzipSync('secret').toString('base64')}`, `${url}/a`);
  expect(notRead()).toEqual(['send POST /a', 'delete DELETE /a', 'send GET /a', 'send GET /a']);
});

test(
  'git, npm and curl show in which words they are refused',
  needs(programs('git', 'npm', 'curl')),
  async () => {
    const said = (failed: unknown) => String((failed as { stderr?: unknown }).stderr);
    await git(folder, 'init', '-q', '--bare', '-b', 'main', 'app.git');
    await git(folder, 'clone', '-q', `http://127.0.0.1:${port}/git/app.git`, 'one');
    const one = join(folder, 'one');
    await git(one, 'commit', '-q', '--allow-empty', '-m', 'a');
    refusal = 'A person refused.';
    const pushed = await git(one, 'push', 'origin', 'HEAD:main').then(() => '', said);
    expect(pushed).toContain('remote: Sekisho: A person refused.');
    expect(pushed).toContain('[remote rejected] HEAD -> main (A person refused.)');
    expect((await run('git', ['--git-dir', join(folder, 'app.git'), 'branch', '-a'])).stdout).toBe('');

    await writeFile(join(one, 'package.json'), '{"name":"mine","version":"1.0.0"}');
    const options = [
      `--registry=http://127.0.0.1:${port}`,
      `--cache=${folder}/cache`,
      `--//127.0.0.1:${port}/:_authToken=abc`,
    ];
    const published = await run('npm', ['publish', ...options], { cwd: one }).then(() => '', said);
    expect(published).toContain('Sekisho: A person refused.');
    const { stdout } = await run('curl', ['-sS', '-d', 'a=1', `http://127.0.0.1:${port}/a`]);
    expect(JSON.parse(stdout)).toMatchObject({ error: 'Sekisho: A person refused.' });
  },
);
