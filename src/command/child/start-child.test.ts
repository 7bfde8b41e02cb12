import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openStarter, type StartChild, startByNode } from './start-child.ts';

const starters: readonly (readonly [string, () => Promise<StartChild>])[] = [
  ['by posix_spawn', openStarter],
  ['by Node alone', async () => startByNode],
];

describe.each(starters)('a child started %s', (_, open) => {
  async function run(
    script: string,
    more: { readonly stdin?: 'null' | 'pipe'; readonly extra?: readonly number[] } = {},
  ) {
    const start = await open();
    const nothing = openSync('/dev/null', 'r');
    try {
      return await start({
        program: '/bin/sh',
        args: ['-c', script],
        environment: { PATH: '/usr/bin:/bin', WORD: 'é "x"' },
        stdin: more.stdin ?? 'null',
        extra: more.extra ?? [nothing],
      });
    } finally {
      closeSync(nothing);
    }
  }

  test('gives its streams, its exit code and its signal', async () => {
    const child = await run('echo "$WORD"; pwd; echo err >&2; exit 5');
    expect(await Promise.all([text(child.stdout), text(child.stderr), child.exited])).toEqual([
      'é "x"\n/\n',
      'err\n',
      { code: 5, signal: undefined },
    ]);
    expect(await (await run('kill -9 $$')).exited).toEqual({ code: undefined, signal: 'SIGKILL' });
  });

  test('takes input, and its group is its own', async () => {
    const child = await run('read line; echo "got $line"; ps -o pgid= -p $$', { stdin: 'pipe' });
    child.stdin?.end('x\n');
    expect((await text(child.stdout)).replace(/\s+/g, ' ')).toBe(`got x ${child.pid} `);
  });

  test('has the descriptors that it was given and no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-start-'));
    writeFileSync(join(folder, 'f'), 'from 3\n');
    writeFileSync(join(folder, 'g'), 'from 4\n');
    const extra = openSync(join(folder, 'f'), 'r');
    const other = openSync(join(folder, 'g'), 'r');
    const child = await run(
      'cat <&3; cat <&4; for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 20 30 900 901 902 903; do [ -e /proc/self/fd/$n ] && echo $n; done',
      { extra: [extra, other] },
    );
    expect(await text(child.stdout)).toBe('from 3\nfrom 4\n0\n1\n2\n3\n4\n');
    for (const fd of [extra, other]) closeSync(fd);
    rmSync(folder, { recursive: true });
  });

  test('meets signals as they are by default', async () => {
    // A server that ignores SIGPIPE must not pass that on: `yes | head` would print an error.
    expect(await (await run('kill -PIPE $$; echo survived')).exited).toEqual({
      code: undefined,
      signal: 'SIGPIPE',
    });
  });
});

test('a program that is not there cannot be started', async () => {
  const start = await openStarter();
  const nothing = openSync('/dev/null', 'r');
  const spawnOptions = {
    program: '/no/such',
    args: [],
    environment: {},
    stdin: 'null',
    extra: [nothing],
  } as const;
  await expect(start(spawnOptions)).rejects.toThrow();
  await expect(startByNode(spawnOptions)).rejects.toThrow();
  closeSync(nothing);
});
