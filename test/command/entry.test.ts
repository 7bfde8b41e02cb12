import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openWalls, type WallsOptions } from '../../src/entries/command.ts';
import { needs, sandbox } from '../support/needs.ts';

/** `sekisho/command`, as a program that takes it would use it. */
const home = mkdtempSync(join(tmpdir(), 'sekisho-entry-'));
let folder = '';
let layers = '';

beforeEach(() => {
  const place = mkdtempSync(join(home, 'place-'));
  folder = join(place, 'folder');
  layers = join(place, 'layers');
  mkdirSync(folder);
  mkdirSync(layers);
  for (let count = 0; count < 12; count++) writeFileSync(join(folder, `${count}.txt`), `${count}\n`);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

async function open(options: Partial<WallsOptions> = {}) {
  const walls = await openWalls({ folders: [folder], layers, ...options });
  return Object.assign(walls, { [Symbol.asyncDispose]: () => walls.close() });
}

describe('a command behind walls', needs(sandbox('bubblewrap')), () => {
  test('changes nothing until it is kept', async () => {
    await using walls = await open();
    const ended = await walls.run('echo new > new.txt; rm 1.txt; cat 2.txt; exit 3');
    expect(ended).toMatchObject({ exitCode: 3, timedOut: false, stdout: '2\n', stderr: '' });
    expect(ended.effects.changes.map(({ path, change }) => [change, path])).toEqual([
      ['deleted', '1.txt'],
      ['created', 'new.txt'],
    ]);
    expect(ended.effects.diff).toContain('+new');
    expect(ended.verdict.decision).toBe('allow');
    expect(readdirSync(folder)).toHaveLength(12);
    expect(await ended.keep()).toEqual({ conflicts: [], refused: [], notes: [] });
    expect(existsSync(join(folder, '1.txt'))).toBe(false);
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('new\n');
    await expect(ended.keep()).rejects.toThrow('the changes were kept before');
    await expect(ended.discard()).rejects.toThrow('the changes were kept before');
  });

  test('is judged by what it did, whatever its words', async () => {
    await using walls = await open({ rules: [{ id: 'no-b', effect: { writes: 'b' }, then: 'deny' }] });
    const gone = await walls.run('find . -name "*.txt" -exec rm {} +');
    expect(gone.verdict).toMatchObject({ decision: 'ask', rule: 'effect-loses-most' });
    await gone.discard();
    await gone.discard();
    await expect(gone.keep()).rejects.toThrow('the changes were discarded before');
    expect((await walls.run('touch b')).verdict).toMatchObject({ decision: 'deny', rule: 'no-b' });
    expect(readdirSync(folder)).toHaveLength(12);
  });

  test('cannot write outside, and its layer is gone after closing', async () => {
    const outside = join(home, 'outside');
    {
      await using walls = await open();
      await walls.run(`echo x > ${outside}; echo x > ${layers}/planted; touch left`);
    }
    expect([existsSync(outside), readdirSync(layers), existsSync(join(folder, 'left'))]).toEqual([
      false,
      [],
      false,
    ]);
  });

  test('commands at once do not see each other', async () => {
    await using walls = await open();
    const both = await Promise.all(
      ['a', 'b'].map((name) => walls.run(`echo ${name} > ${name}; sleep 0.3; ls`)),
    );
    expect(both.map(({ stdout }) => stdout.match(/^[ab]$/gm))).toEqual([['a'], ['b']]);
    for (const ended of both) await ended.keep();
    expect(readdirSync(folder).filter((name) => /^[ab]$/.test(name))).toEqual(['a', 'b']);
  });

  test('ends at its time, and when it is cancelled', async () => {
    await using walls = await open();
    const late = await walls.run('touch begun; sleep 60', { timeoutMs: 500 });
    expect(late.timedOut).toBe(true);
    expect(late.effects.changes).toMatchObject([{ path: 'begun' }]);
    const cancelled = walls.run('sleep 60', { signal: AbortSignal.timeout(100) });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('a keep that is killed is finished by the next opening', async () => {
    const program = `
      import { openWalls } from ${JSON.stringify(join(import.meta.dirname, '../../src/entries/command.ts'))};
      const walls = await openWalls(${JSON.stringify({ folders: [folder], layers })});
      const ended = await walls.run('for n in $(seq 3000); do echo $n > made-$n; done');
      await ended.keep();
      console.log('kept all');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await vi.waitUntil(() => existsSync(join(folder, 'made-1')) || child.exitCode !== null, {
      timeout: 60_000,
      interval: 1,
    });
    child.kill('SIGKILL');
    await ended;
    expect(said).toBe('');
    const before = readdirSync(folder).length;
    expect(before).toBeLessThan(3012);
    await using _walls = await open();
    expect(readdirSync(folder)).toHaveLength(3012);
  });

  test('what would leave is held until it is allowed', async () => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      got.push(`${request.method} ${request.url}`);
      response.end('ok\n');
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const { address } = await lookup(hostname());
    const host = `${hostname().toLowerCase()}:${port}`;
    const asked: string[] = [];
    {
      await using walls = await open({
        hosts: [host, `${address.includes(':') ? `[${address}]` : address}:${port}`],
        async mayLeave({ method, path }) {
          asked.push(path);
          return method === 'POST';
        },
      });
      const { stdout } = await walls.run(
        `curl -s http://${host}/read; curl -s -d x http://${host}/post; curl -s -X DELETE http://${host}/delete`,
      );
      expect(stdout).toContain('ok\nok\n');
    }
    server.close();
    expect(asked).toEqual(['/post', '/delete']);
    expect(got).toEqual(['GET /read', 'POST /post']);
  });
});

test('a line is read without running it', async () => {
  await using walls = await open();
  expect(walls.read('sh -c "rm -rf /"')).toMatchObject({ decision: 'deny' });
  expect(walls.read('npm test').commands).toEqual([['npm', 'test']]);
});

test('layers that commands could reach are refused, and so is no folder', async () => {
  await expect(open({ layers: folder })).rejects.toThrow('layers: ');
  await expect(open({ folders: [join(layers, '..')] })).rejects.toThrow('layers: ');
  await expect(open({ hosts: ['not a host'] })).rejects.toThrow('hosts[0]');
  await expect(open({ rules: [{ effect: { deletes: 'many' }, then: 'ask' }] })).rejects.toThrow('> 20 files');
  await expect(open({ folders: [] })).rejects.toThrow('folders: name at least one');
});
