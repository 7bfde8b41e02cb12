import { afterEach, expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { openWorld, type World, yes } from './world.ts';

let world: World;
afterEach(() => world.close());

test.each(['--http1.1', '--http2'])(
  'curl %s reads unasked, and what it sends waits for a yes',
  needs(programs('curl')),
  async (version) => {
    world = await openWorld();
    const { base, arrived, asked } = world;
    expect(await world.run('curl', ['-sS', version, `${base}/a?b=1`])).toBe('origin: GET /a?b=1\n');
    expect(asked).toEqual([]);

    let atQuestion = -1;
    world.answers(async () => {
      atQuestion = arrived.length;
      return yes;
    });
    const sent = await world.run('curl', ['-sS', version, '-d', 'secret words', `${base}/repos/x/issues`]);
    expect(sent).toBe('origin: POST /repos/x/issues\n');
    expect(atQuestion).toBe(1);
    expect(arrived.map(({ line, body }) => [line, body])).toEqual([
      ['GET /a?b=1', ''],
      ['POST /repos/x/issues', 'secret words'],
    ]);
    expect(asked).toMatchObject([
      {
        method: 'POST',
        path: '/repos/x/issues',
        bodyBytes: 12,
        isBodyWhole: true,
        program: expect.stringContaining('curl/'),
      },
    ]);
    expect(Buffer.from(asked[0]?.bodyStart ?? []).toString()).toBe('secret words');
    expect(world.outlet.contacts()).toMatchObject([
      { outcome: 'reached', requests: [{ method: 'POST', path: '/repos/x/issues', allowedBy: 'alice' }] },
    ]);
  },
);

test.each(['--http1.1', '--http2'])(
  'curl %s is told why it was refused, and nothing arrives',
  needs(programs('curl')),
  async (version) => {
    world = await openWorld();
    const said = await world.run('sh', [
      '-c',
      `head -c 300000 /dev/zero | curl -sS ${version} -w '%{http_code}' --data-binary @- ${world.base}/a`,
    ]);
    expect(said).toContain('A person refused.');
    expect(said).toContain('403');
    expect(world.arrived).toEqual([]);
    expect(world.outlet.contacts()).toMatchObject([
      { outcome: 'reached' },
      { outcome: 'refused', requests: [{ method: 'POST', path: '/a' }] },
    ]);
  },
);

test.each(['--http1.1', '--http2'])(
  'a push and a call of gRPC %s are refused in their own words',
  needs(programs('curl')),
  async (version) => {
    world = await openWorld();
    const line = `${'1'.repeat(40)} ${'2'.repeat(40)} refs/heads/main\\0 report-status side-band-64k`;
    const pushed = await world.run('sh', [
      '-c',
      `(printf '0082${line}'; printf '0000'; head -c 300000 /dev/zero) | curl -sS ${version} --data-binary @- ${world.base}/a.git/git-receive-pack`,
    ]);
    expect(pushed).toContain('Sekisho: A person refused.');
    expect(pushed).toContain('ng refs/heads/main A person refused.');
    const called = await world.run('sh', [
      '-c',
      `curl -sS ${version} -D - -H 'content-type: application/grpc' -d x ${world.base}/a.B/Put`,
    ]);
    expect(called).toContain('grpc-status: 7');
    expect(world.arrived).toEqual([]);
  },
);

test('an upload of 20 MB arrives whole after the yes', needs(programs('curl')), async () => {
  world = await openWorld();
  world.answers(async () => yes);
  const size = 20 * 1024 * 1024;
  for (const version of ['--http1.1', '--http2']) {
    const said = await world.run('sh', [
      '-c',
      `head -c ${size} /dev/zero | curl -sS ${version} -T - ${world.base}/big`,
    ]);
    expect(said).toBe('origin: PUT /big\n');
  }
  expect(world.arrived.map(({ body }) => body.length)).toEqual([size, size]);
});

test(
  "programs share the connections to a host, but for a login that is the connection's",
  needs(programs('curl')),
  async () => {
    world = await openWorld();
    let connections = 0;
    world.origin.server.on('secureConnection', () => connections++);
    const get = (...args: readonly string[]) => world.run('curl', ['-sS', ...args, `${world.base}/a`]);
    for (let count = 0; count < 3; count++) expect(await get()).toBe('origin: GET /a\n');
    expect(connections).toBe(1);
    expect(world.outlet.contacts()).toMatchObject([{ outcome: 'reached', times: 3 }]);
    for (let count = 0; count < 2; count++) await get('-H', 'Authorization: Negotiate abc');
    expect(connections).toBe(3);
  },
);

test(
  'the digest that npm expects of a package stays behind, and is not asked about',
  needs(programs('curl')),
  async () => {
    world = await openWorld();
    const integrity = `pacote-integrity: sha512-${'aB3/'.repeat(21)}aB==`;
    for (const version of ['--http1.1', '--http2'])
      expect(
        await world.run('curl', ['-sS', version, '-H', integrity, `${world.base}/a/-/a-1.0.0.tgz`]),
      ).toContain('origin: GET');
    expect(world.asked).toEqual([]);
    expect(JSON.stringify(world.arrived)).not.toContain('pacote');
  },
);
