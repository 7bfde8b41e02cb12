import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SecretRule } from '../../src/contract/capabilities/secrets.ts';
import { text } from '../../src/contract/text/text.ts';
import { needs, programs } from '../support/needs.ts';
import { emptyHash, type Headers, whyRefused } from './aws.ts';
import { gitBackend } from './git-backend.ts';
import { base64, canary, shownIn } from './tries/leaks.ts';
import { openWorld, type World, yes } from './world.ts';

const values = new Map<string, string>();
let world: World;

const standIn = () => world.proxy.environment.GITHUB_KEY ?? '';

async function openWith(more: Partial<SecretRule> = {}): Promise<void> {
  values.set('github', canary);
  world = await openWorld((port) => ({
    entries: [`other.test:${port}`],
    secrets: {
      rules: [
        {
          name: 'github',
          hosts: [`api.test:${port}`],
          as: ['bearer', 'basic', 'header:x-api-key', 'query:key', 'body'],
          variable: 'GITHUB_KEY',
          username: 'x-access-token',
          ...more,
        },
      ],
      valueOf: (name) => values.get(name),
      whyNone: () => text('None is kept.', '未設定です。'),
      refresh: () => undefined,
    },
  }));
  world.answers(async () => yes);
}

const curl = (...args: string[]) => world.run('curl', ['-sS', ...args]);
/** As a shell would, from the variable. */
const shell = (line: string) => world.run('bash', ['-c', line.replaceAll('BASE', world.base)]);

describe('A credential', needs(programs('curl', 'git', 'python3')), () => {
  beforeEach(() => openWith());
  afterEach(() => world.close());

  test('has a stand-in of its form', () => {
    expect(standIn()).toMatch(
      /^ghp_[A-Z]\d[a-z][A-Z][a-z]{3}[A-Z][a-z]{5}\/[A-Z][a-z]{2}\+[A-Z][a-z]{2}="\d[A-Z]$/,
    );
    expect(standIn()).not.toBe(canary);
    expect(JSON.stringify(world.proxy.environment)).not.toContain(canary);
  });

  test.each([
    ['curl -sS -H "Authorization: Bearer $GITHUB_KEY" BASE/a', 'authorization', `Bearer ${canary}`],
    ['curl -sS -H "authorization: token $GITHUB_KEY" BASE/a', 'authorization', `token ${canary}`],
    ['curl -sS --http2 -H "Authorization: Bearer $GITHUB_KEY" BASE/a', 'authorization', `Bearer ${canary}`],
    ['curl -sS -u "me:$GITHUB_KEY" BASE/a', 'authorization', `Basic ${base64(`me:${canary}`)}`],
    ['curl -sS -u "$GITHUB_KEY:" BASE/a', 'authorization', `Basic ${base64(`${canary}:`)}`],
    ['curl -sS -H "X-Api-Key: $GITHUB_KEY" BASE/a', 'x-api-key', canary],
    [
      `python3 -c 'import os, urllib.request as u; u.urlopen(u.Request("BASE/a", headers={"X-Api-Key": os.environ["GITHUB_KEY"]}))'`,
      'x-api-key',
      canary,
    ],
    [
      `node -e 'fetch("BASE/a", {headers: {authorization: "Bearer " + process.env.GITHUB_KEY}})'`,
      'authorization',
      `Bearer ${canary}`,
    ],
  ])('goes where it may: %s', async (line, field, value) => {
    await shell(line);
    expect(world.arrived.map(({ headers }) => headers[field])).toEqual([value]);
    expect(world.asked).toEqual([]);
  });

  test('goes in an address and a body, in the form of each', async () => {
    await shell('curl -sS -G --data-urlencode "key=$GITHUB_KEY" BASE/a');
    await shell('curl -sS --data-urlencode "token=$GITHUB_KEY" BASE/b');
    await shell(
      `python3 -c 'import json, os; print(json.dumps({"token": os.environ["GITHUB_KEY"]}))' | curl -sS -d @- BASE/c`,
    );
    await shell('{ head -c 300000 /dev/zero; printf %s "$GITHUB_KEY"; } | curl -sS -T - BASE/d');
    const [inAddress, ...bodies] = world.arrived;
    expect(new URL(inAddress?.line.split(' ')[1] ?? '', world.base).searchParams.get('key')).toBe(canary);
    expect(new URLSearchParams(bodies[0]?.body).get('token')).toBe(canary);
    expect(JSON.parse(bodies[1]?.body ?? '')).toEqual({ token: canary });
    expect(bodies[2]?.body.slice(300_000)).toBe(canary);
    // Reading with a key in the address is reading.
    expect(world.asked.map(({ path }) => path)).toEqual(['/b', '/c', '/d']);
    expect(
      JSON.stringify(world.asked.map(({ bodyStart }) => Buffer.from(bodyStart).toString())),
    ).not.toContain('K3yThat');
  });

  test.each([
    ['-H "X-Other: $GITHUB_KEY" BASE/a', 'as: header:x-other'],
    ['BASE/a/"${GITHUB_KEY%%/*}$(printf /)${GITHUB_KEY#*/}"', 'as: '],
    ['-G --data-urlencode "other=$GITHUB_KEY" BASE/a', 'as: query:other'],
    ['-H "X-Api-Key: $(printf %s "$GITHUB_KEY" | base64 -w0)" BASE/a', 'as: elsewhere'],
    ['-H "X-Api-Key: $(printf %s "$GITHUB_KEY" | tr a-z A-Z)" BASE/a', 'as: elsewhere'],
    ['-H "X-Api-Key: $(printf %s "x$GITHUB_KEY" | od -An -tx1 | tr -d " \\n")" BASE/a', 'as: elsewhere'],
  ])('goes nowhere else: %s', async (args, reason) => {
    const output = await shell(`curl -sS -w '%{http_code}' ${args}`);
    expect(output).toContain(reason);
    expect(output).toMatch(/403$/);
    expect(world.arrived).toEqual([]);
    expect(world.outlet.contacts().flatMap(({ requests = [] }) => requests)).toEqual([
      expect.objectContaining({ because: expect.stringContaining('“github”') }),
    ]);
  });

  test('is found in a body of any length, and goes no further', async () => {
    world.close();
    await openWith({ as: ['bearer'] });
    const output = await shell(
      '{ head -c 3000000 /dev/zero; printf %s "$GITHUB_KEY"; } | curl -sS -T - BASE/d',
    );
    expect(output).toContain('exit');
    expect(world.outlet.contacts().flatMap(({ requests = [] }) => requests)).toContainEqual(
      expect.objectContaining({ because: expect.stringContaining('was broken off') }),
    );
    expect(world.arrived).toEqual([]);
  });

  test('goes to no other host, and not in the clear', async () => {
    expect(
      await curl('-k', '-H', `X-Api-Key: ${standIn()}`, `https://other.test:${world.originPort}/`),
    ).toContain(`may not go to other.test: secrets.github.hosts lists api.test:${world.originPort}`);
    expect(await curl('-H', `X-Api-Key: ${standIn()}`, `http://api.test:${world.originPort}/`)).toContain(
      'only sent over https',
    );
    expect(world.arrived).toEqual([]);
  });

  test('goes no more once it is removed', async () => {
    values.delete('github');
    expect(await shell('curl -sS -H "X-Api-Key: $GITHUB_KEY" BASE/a')).toContain('has no value');
    values.set('github', 'another-value-of-the-operator-1');
    await shell('curl -sS -H "X-Api-Key: $GITHUB_KEY" BASE/a');
    expect(world.arrived.map(({ headers }) => headers['x-api-key'])).toEqual([
      'another-value-of-the-operator-1',
    ]);
  });

  test('logs git in, to clone and to push', async () => {
    const { repositories, git } = serveGit();
    expect(await git('clone', `${world.base}/a.git`, 'copy')).not.toContain('exit');
    writeFileSync(join(world.folder, 'copy/f'), '1');
    const me = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    await git('-C', 'copy', 'add', '-A');
    await git('-C', 'copy', ...me, 'commit', '-qm', 'one');
    expect(await git('-C', 'copy', 'push', '-q', 'origin', 'HEAD:main')).not.toContain('exit');
    expect(world.asked.map(({ kind }) => kind)).toEqual(['change']);
    expect(String(execFileSync('git', ['-C', join(repositories, 'a.git'), 'log', '--format=%s']))).toBe(
      'one\n',
    );
  });

  test('takes git there over https for addresses of ssh, and its settings keep the address', async () => {
    const { repositories, git } = serveGit();
    for (const address of [
      ...['api.test:a.git', 'git@api.test:/a.git', 'ssh://git@api.test/a.git', 'ssh://api.test/a.git'],
      ...['ssh://git@api.test:22/a.git', 'ssh://git@api.test:2222/a.git', 'ssh://api.test:443/a.git'],
    ])
      expect(await git('ls-remote', '--get-url', address)).toBe(`${world.base}/a.git\n`);
    expect(await git('ls-remote', '--get-url', 'git@other.test:a.git')).toBe('git@other.test:a.git\n');
    expect(await git('clone', 'git@api.test:a.git', 'copy')).not.toContain('exit');
    expect(await git('-C', 'copy', 'config', 'remote.origin.url')).toBe('git@api.test:a.git\n');
    writeFileSync(join(world.folder, 'copy/f'), '1');
    const me = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    await git('-C', 'copy', 'add', '-A');
    await git('-C', 'copy', ...me, 'commit', '-qm', 'one');
    expect(await git('-C', 'copy', 'push', '-q', 'origin', 'HEAD:main')).not.toContain('exit');
    expect(world.asked.map(({ kind, path }) => [kind, path])).toEqual([
      ['change', '/a.git/git-receive-pack'],
    ]);
    expect(String(execFileSync('git', ['-C', join(repositories, 'a.git'), 'log', '--format=%s']))).toBe(
      'one\n',
    );
  });
});

/** Serves an empty repository to those who have the credential. */
function serveGit() {
  const repositories = join(world.folder, 'served');
  mkdirSync(repositories);
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(repositories, 'a.git')]);
  const authorization = `Basic ${base64(`x-access-token:${canary}`)}`;
  answer(async (request, response, body) => {
    if (request.headers.authorization === authorization)
      return gitBackend(repositories, request, response, Readable.from([body]));
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
  });
  const settings = world.proxy.gitSettings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return { repositories, git: (...args: string[]) => world.run('git', [...settings, ...args]) };
}

/** What answers the requests from now on. */
function answer(by: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void): void {
  world.origin.server.removeAllListeners('request');
  world.origin.server.on('request', async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    by(request, response, Buffer.concat(parts));
  });
}

function expectHidden(output: string): void {
  expect([output, shownIn(output)]).toEqual([output, 0]);
}

describe('An answer', needs(programs('curl')), () => {
  beforeEach(() => openWith());
  afterEach(() => world.close());

  const ask = (...more: string[]) =>
    curl('-i', '--raw', '--http1.1', '-H', `Authorization: Bearer ${standIn()}`, ...more, `${world.base}/a`);

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ])('in %s is looked into', async (coding, compress) => {
    answer((_request, response) => {
      response.setHeader('Content-Encoding', coding);
      response.end(compress(`${'x'.repeat(70_000)}${canary}`));
    });
    const output = await ask('--no-raw', '-H', 'Accept-Encoding: gzip, br, deflate, zstd, compress');
    expectHidden(output);
    expect(output).toContain('x'.repeat(1000));
    expect(output).toContain(standIn());
    expect(output).not.toMatch(/content-encoding/i);
  });

  test('in another coding is refused', async () => {
    answer((_request, response) => {
      response.setHeader('Content-Encoding', 'compress');
      response.end(canary);
    });
    const output = await ask();
    expect(output).toContain('502');
    expectHidden(output);
  });

  test('is asked for in codings that can be looked into, and whole', async () => {
    await ask('-H', 'Accept-Encoding: gzip, compress;q=0.5, zz', '-r', '0-5');
    await ask('-H', 'Accept-Encoding: zz');
    expect(world.arrived.map(({ headers }) => [headers['accept-encoding'], headers.range])).toEqual([
      ['gzip', undefined],
      ['identity', undefined],
    ]);
  });

  test('does not show it in a redirect, a cookie, a reason or a trailer, to a later request either', async () => {
    answer((_request, response) => {
      response.writeHead(302, `no ${canary}`, {
        Location: `/?at=${encodeURIComponent(canary)}`,
        'Set-Cookie': `a=${encodeURIComponent(canary)}`,
        Trailer: 'X-Last',
      });
      response.write('.');
      response.addTrailers({ 'X-Last': canary });
      response.end();
    });
    const output = await ask();
    expectHidden(output);
    expect(output).toMatch(/302 no ghp_.*X-Last: ghp_/s);
    expectHidden(await curl('-i', '--raw', '--http2', `${world.base}/without`));
  });

  test('is looked into after a switch of protocols, too', async () => {
    world.origin.server.once('upgrade', (request, socket) => {
      const { authorization } = request.headers;
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Echo: ${canary}\r\n\r\n`,
      );
      socket.end(`you are ${authorization}, and ${request.headers['sec-websocket-extensions']}`);
    });
    const fields = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Extensions: permessage-deflate',
    ];
    const output = await ask(...fields.flatMap((field) => ['-H', field]), '--no-raw', '-m', '20');
    expectHidden(output);
    expect(output).toContain(`you are Bearer ${standIn()}, and undefined`);
  });

  test('of the usual kind arrives as it was sent', async () => {
    const bytes = Buffer.alloc(3_000_000, createHash('sha256').update('some').digest());
    answer((_request, response) => {
      response.setHeader('Content-Length', bytes.length);
      response.end(bytes);
    });
    const script = `curl -sS -H "X-Api-Key: $GITHUB_KEY" BASE/a | sha256sum; curl -sSI BASE/a | grep -i content-length`;
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(await shell(script)).toMatch(new RegExp(`${digest}.*ength: 3000000`, 's'));
  });
});

describe('A credential with limits', needs(programs('curl')), () => {
  beforeEach(() => openWith({ methods: ['GET'], paths: ['/ours/**'] }));
  afterEach(() => world.close());

  test.each([
    ['/ours/a', 200],
    ['/ours/a/b?c=/theirs', 200],
    ['/theirs/a', 403],
    ['/ours/../theirs', 403],
    ['/ours/%2e%2e/theirs', 403],
    ['/ours/%2E./theirs', 403],
    ['/ours/..%2ftheirs', 403],
    ['/ours//a', 403],
    ['/ours/a;/../../theirs', 403],
    ['/%6furs/a', 200],
    ['/OURS/a', 403],
  ])('goes to a path if it may: %s', async (path, status) => {
    const output = await curl(
      '--path-as-is',
      '-w',
      '%{http_code}',
      '-H',
      `X-Api-Key: ${standIn()}`,
      `${world.base}${path}`,
    );
    expect(output).toMatch(new RegExp(`${status}$`));
    expect(world.arrived).toHaveLength(status === 200 ? 1 : 0);
  });

  test('goes by a method if it may', async () => {
    const output = await curl('-X', 'DELETE', '-H', `X-Api-Key: ${standIn()}`, `${world.base}/ours/a`);
    expect(output).toContain('secrets.github.methods: DELETE');
    expect(world.arrived).toEqual([]);
  });
});

describe('A key of AWS', needs(programs('curl')), () => {
  const key = { id: 'AKIAQWERTYUIOPASDFGH', secret: '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' };
  let refused: (string | undefined)[] = [];

  beforeEach(async () => {
    values.set('aws', `${key.id}:${key.secret}`);
    world = await openWorld((port) => ({
      secrets: {
        rules: [
          { name: 'aws', hosts: [`api.test:${port}`], as: ['sigv4'], variable: 'AWS_KEY', username: '' },
        ],
        valueOf: (name) => values.get(name),
        whyNone: () => text('None is kept.', '未設定です。'),
        refresh: () => undefined,
      },
    }));
    world.answers(async () => yes);
    refused = [];
  });
  afterEach(() => world.close());

  const signing = (
    service: string,
    args: string,
    login = '$AWS_KEY_ACCESS_KEY_ID:$AWS_KEY_SECRET_ACCESS_KEY',
  ) => shell(`curl -sS --aws-sigv4 aws:amz:eu-west-1:${service} -u "${login}" ${args}`);
  const check = () => {
    refused = world.arrived.map(({ line, headers, body }) => {
      const [method = '', target = ''] = line.split(' ');
      return whyRefused({ method, target, headers: headers as Headers, body }, key);
    });
  };

  test('signs what a program has signed with its stand-in', async () => {
    const { AWS_KEY_ACCESS_KEY_ID: id = '', AWS_KEY_SECRET_ACCESS_KEY: secret = '' } =
      world.proxy.environment;
    expect([id, secret]).not.toEqual([key.id, key.secret]);
    const declared = `-H "x-amz-content-sha256: ${emptyHash}"`;
    await signing('s3', `${declared} "BASE/bucket/a?list-type=2&prefix=b"`);
    await signing('s3', `${declared} -H "Range: bytes=0-3" BASE/bucket/a`);
    await signing('dynamodb', `-d '{"a":1}' -H "Content-Type: application/x-amz-json-1.0" BASE/`);
    await signing(
      'dynamodb',
      `--http1.1 -d "$(head -c 90000 /dev/zero | tr '\\0' x)" -H "Content-Type: a/b" BASE/`,
    );
    check();
    expect(refused).toEqual([undefined, undefined, undefined, undefined]);
    expect(world.arrived[1]?.headers.range).toBe('bytes=0-3');
    expect(JSON.stringify(world.asked.map(({ path }) => path))).not.toContain(key.id);
  });

  test('signs nothing for another secret, and leaves other keys alone', async () => {
    const output = await signing(
      's3',
      `-H "x-amz-content-sha256: ${emptyHash}" -w '%{http_code}' BASE/a`,
      '$AWS_KEY_ACCESS_KEY_ID:wrong',
    );
    expect(output).toContain('The signature does not fit the stand-in of “aws”');
    expect(output).toMatch(/403$/);
    expect(world.arrived).toEqual([]);
    await signing('s3', `-H "x-amz-content-sha256: ${emptyHash}" BASE/a`, 'AKIAOTHEROTHEROTHER1:wrong');
    expect(world.arrived[0]?.headers.authorization).toContain('Credential=AKIAOTHEROTHEROTHER1/');
  });
});
