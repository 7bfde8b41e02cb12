import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { text } from '../../src/contract/text/text.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';
import { freePort, openCommands, yes } from './world.ts';

const run = promisify(execFile);

/** A server that says who it is and what it got. */
const echo = (name: string) => `
const { createServer } = require('node:http');
createServer((request, response) => {
  console.log(request.method, request.url, request.headers.host);
  response.end(${JSON.stringify(name)} + ' ' + request.headers.host);
}).listen(Number(process.argv[2]), process.argv[3] ?? '127.0.0.1');
`;

const words = async (url: string) => (await fetch(url)).text();
const refused = (url: string) =>
  expect.poll(() => words(url).catch((error) => error.cause?.code)).toMatch(/^ECONN/);

describe('a published port', needs(sandbox('bubblewrap')), () => {
  test('appears on both loopback addresses under the name of its session, serves a hundred connections, and ends with its command', async () => {
    const world = openCommands({ 'a.cjs': echo('first') });
    const port = await freePort();
    const command = await world.start(`node a.cjs ${port}`);
    const url = await world.url(port);
    expect(url).toMatch(new RegExp(`^http://s\\d+\\.localhost:${port}$`));
    expect(world.asked.map(({ kind, host }) => [kind, host])).toEqual([['listen', `localhost:${port}`]]);
    for (const host of ['127.0.0.1', '[::1]', 'localhost'])
      expect(await words(`http://${host}:${port}`)).toBe(`first ${host}:${port}`);
    expect(command.read().text).toContain(
      `[published: port ${port} is at ${url} and http://localhost:${port} for browsers of this machine]`,
    );
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port, agent: false }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        });
        request.on('error', reject);
      });
    // More than are made at a time, twice.
    for (let round = 0; round < 3; round++)
      expect(new Set(await Promise.all(Array.from({ length: 40 }, ask)))).toEqual(new Set([200]));
    await command.kill();
    expect(world.runner.published()).toEqual([]);
    await refused(`http://127.0.0.1:${port}`);
    // A yes lasts for the session.
    await world.start(`node a.cjs ${port}`);
    await world.url(port);
    expect(world.asked).toHaveLength(1);
  });

  test('gets another number where its own is taken, and another name in another session', async () => {
    const world = openCommands({ 'a.cjs': echo('inside') });
    const port = await freePort();
    const outside = createServer((socket) => socket.end('outside')).listen(port, '127.0.0.1');
    onTestFinished(() => void outside.close());
    await world.start(`node a.cjs ${port}`);
    await world.start(`node a.cjs ${port}`, 'two');
    const [one, two] = [await world.url(port), await world.url(port, 'two')];
    expect(new URL(one).hostname).not.toBe(new URL(two).hostname);
    const ports = [one, two].map((url) => Number(new URL(url).port));
    expect(new Set([port, ...ports]).size).toBe(3);
    for (const each of ports)
      expect(await words(`http://127.0.0.1:${each}`)).toBe(`inside 127.0.0.1:${each}`);
  });

  test('is opened after a yes, also a late one, and never after a no', async () => {
    const world = openCommands({ 'a.cjs': echo('x') });
    const port = await freePort();
    const later = Promise.withResolvers<void>();
    let times = 0;
    world.answers(async () => {
      if (++times === 1) return { isAllowed: false, because: text('Not yet.', 'まだです。'), isOpen: true };
      await later.promise;
      return yes;
    });
    const command = await world.start(`node a.cjs ${port}`);
    await expect
      .poll(() => command.read().text)
      .toContain(`[published: port ${port} waits for a person's answer]`);
    await refused(`http://127.0.0.1:${port}`);
    later.resolve();
    await world.url(port);
    world.answers(async () => ({ isAllowed: false, because: text('A person refused.', '拒否されました。') }));
    const other = await freePort();
    const denied = await world.start(`node a.cjs ${other}`);
    await expect
      .poll(() => denied.read().text)
      .toContain(`[published: port ${other} is not: A person refused.]`);
    await refused(`http://127.0.0.1:${other}`);
  });

  test('is none of the ports that are not listed, of debuggers, of the outside or of another command', async () => {
    const world = openCommands({ 'a.cjs': echo('x') }, [[20_000, 32_767]]);
    const port = await freePort();
    const first = await world.start(`node a.cjs ${port}`);
    await world.url(port);
    const second = await world.start(
      `node --inspect=127.0.0.1:9229 a.cjs 40123 & node a.cjs 1080 & sleep 60`,
    );
    await expect.poll(() => second.read().text).toContain('Debugger listening');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(world.runner.published().map((each) => [each.port, each.command])).toEqual([
      [port, `node a.cjs ${port}`],
    ]);
    await first.kill();
    expect(world.runner.published()).toEqual([]);
  });

  test('works for a command with a network of its own, and for a listener on ::1 or on all addresses', async () => {
    const world = openCommands({ 'a.cjs': echo('x') });
    const [own, six, all] = [await freePort(), await freePort(), await freePort()];
    await world.start(`node a.cjs ${own}`, 'one', false);
    await world.start(`node a.cjs ${six} ::1 & node a.cjs ${all} :: & wait`);
    for (const port of [own, six, all]) {
      await world.url(port);
      expect(await words(`http://127.0.0.1:${port}`)).toBe(`x 127.0.0.1:${port}`);
    }
  });

  test('stays while its server restarts, and a request meanwhile waits for it', async () => {
    const world = openCommands({ 'a.cjs': echo('x') });
    const port = await freePort();
    const command = await world.start(`while :; do timeout 2 node a.cjs ${port}; sleep 0.5; done`);
    await world.url(port);
    const until = performance.now() + 6000;
    const failed: unknown[] = [];
    while (performance.now() < until) {
      await words(`http://127.0.0.1:${port}`).catch((error) => failed.push(error.cause?.code));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // What its end cuts off is cut off in any case.
    expect(failed.filter((code) => code === 'ECONNREFUSED')).toEqual([]);
    expect(command.read().text.match(/\[published:/g)).toHaveLength(1);
  });

  test('passes every byte in both directions, and the end of each', async () => {
    const world = openCommands({
      'a.cjs': `
        const { createHash } = require('node:crypto');
        require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
          const hash = createHash('sha256');
          socket.on('data', (chunk) => hash.update(chunk));
          socket.on('end', () => { socket.write(hash.digest('hex')); socket.end(Buffer.alloc(5_000_000, 7)); });
        }).listen(Number(process.argv[2]), '127.0.0.1');`,
    });
    const port = await freePort();
    await world.start(`node a.cjs ${port}`);
    await world.url(port);
    const sent = randomBytes(5_000_000);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(sent);
    const got = await buffer(socket);
    expect(got.subarray(0, 64).toString()).toBe(createHash('sha256').update(sent).digest('hex'));
    expect(got.length).toBe(5_000_064);
  });

  test(
    'lets no other user of the machine in, not even one that has left again',
    needs(superuser()),
    async () => {
      const world = openCommands({ 'a.cjs': echo('x') });
      const port = await freePort();
      const command = await world.start(`node a.cjs ${port}`);
      await world.url(port);
      // Only what every user may run: the first programs on root's PATH may lie in root's home.
      const nobody = { uid: 65_534, gid: 65_534, env: { PATH: '/usr/bin:/bin' } };
      const connect = (host: string, path: string) =>
        `trap '' PIPE; exec 3<>/dev/tcp/${host}/${port} && printf 'GET /${path} HTTP/1.0\\r\\n\\r\\n' >&3`;
      for (const host of ['127.0.0.1', '::1', 'localhost']) {
        const tried = await run('/bin/bash', ['-c', `${connect(host, 'stranger')}; cat <&3`], nobody).catch(
          (error) => error,
        );
        // Reset while it connects, sends or receives.
        expect(tried).toMatchObject({ stdout: '', stderr: expect.stringMatching(/reset|Broken pipe/) });
      }
      // Closed sockets count as root's. They are closed by the time that the server looks, as it waits for this program.
      const inAndOut = ['127.0.0.1', '::1'].map(
        (host) => `for i in {1..100}; do ${connect(host, 'left')} && : $((times++)); exec 3>&-; done`,
      );
      const left = spawnSync('/bin/bash', ['-c', `${inAndOut.join('\n')}\necho $times`], nobody);
      expect(left.stdout.toString()).toBe('200\n');
      expect(await words(`http://127.0.0.1:${port}/own`)).toContain('x');
      await expect.poll(() => command.read().text).toContain('GET /own');
      expect(command.read().text).not.toMatch(/stranger|left/);
    },
  );
});
