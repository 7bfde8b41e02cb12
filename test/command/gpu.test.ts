import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { findGpu } from '../../src/config/gpu.ts';
import { needs, programs, sandbox, superuser } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

/** A device of another driver under the name of a graphics processor: it gives zeros. */
const node = '/dev/nvidia254';
const note = /\[walls: [^\n]*process\.devices: \["gpu"\]\]/g;
const loads =
  'python3 -c \'import mmap, time; f = open("libcuda.so.1"); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); time.sleep(2)\'';

describe('a machine with a graphics processor', needs(superuser()), () => {
  beforeAll(() => execFileSync('sh', ['-c', `mknod -m 666 ${node} c 1 5`]));
  afterAll(() => rmSync(node, { force: true }));

  async function open(devices?: readonly 'gpu'[]) {
    const opened = await openTestCheckpoint({
      files: { 'libcuda.so.1': 'a driver' },
      config: { profile: 'coding', ...(devices && { process: { devices: [...devices] } }) },
    });
    const run = async (command: string) => {
      const reply = await opened.call('bash', { command });
      return reply.kind === 'output' ? String(Object(reply.content[0]).text) : JSON.stringify(reply);
    };
    return { run, [Symbol.asyncDispose]: opened.close };
  }

  test('commands use it where process.devices lists it, and see no other device', async () => {
    await using with_ = await open(['gpu']);
    await using without = await open();
    expect(
      await with_.run(
        `head -c 2 ${node} | od -An -tx1; python3 -c 'open("${node}", "r+b", 0).write(b"x")' && echo written`,
      ),
    ).toMatch(/00 00\nwritten/);
    const list = 'ls /dev; ls -d /sys/* 2>/dev/null | sed "s/^/sys /"';
    const [more, fewer] = [await with_.run(list), await without.run(list)];
    expect(more.replace('nvidia254\n', '').replace(/^sys .*\n?/gm, '')).toBe(fewer);
    expect(await with_.run(`${loads}; ls ${node}`)).not.toMatch(note);
  }, 30_000);

  test.each([
    `cat ${node}`,
    `cat ${node} 2>&1 | tail -1`,
    loads,
    'echo "RuntimeError: No CUDA GPUs are available"; false',
    'echo "device: using CPU"',
  ])(
    'without it, a command that looks for one is told once which key shows it: %s',
    async (line) => {
      await using served = await open();
      expect(await served.run('echo a GPU is a processor')).not.toMatch(note);
      expect((await served.run(line)).match(note)).toHaveLength(1);
      expect(await served.run(line)).not.toMatch(note);
    },
    30_000,
  );

  test.each(['bubblewrap', 'landlock'] as const)('%s lends it', needs(sandbox('landlock')), async (name) => {
    const gpu = findGpu();
    expect(gpu?.nodes).toContain(node);
    for (const lent of [gpu, undefined]) {
      const runner = new CommandRunner({
        roots: [{ hostPath: '/var/tmp', writable: false }],
        sandbox: 'required',
        backends: [name],
        readable: lent?.readable,
        devices: lent?.nodes,
      });
      const script = `head -c 1 ${node} | wc -c; echo >${node}`;
      const ran = await runner
        .forSession('s')
        .run(
          { kind: 'script', script, shell: 'bash' },
          { workingFolder: '/var/tmp', timeoutMs: 30_000, signal: new AbortController().signal },
        );
      await runner.close();
      expect([ran.stdout.trim(), ran.exitCode]).toEqual(lent ? ['1', 0] : ['0', 1]);
    }
  });
});

test('a machine without one tells nothing', {
  ...needs(programs('python3')),
  skip: findGpu() !== undefined,
}, async () => {
  await using opened = await openTestCheckpoint({ config: { profile: 'coding' } });
  const reply = await opened.call('bash', { command: 'echo "No CUDA GPUs are available"; false' });
  expect(JSON.stringify(reply)).not.toMatch(note);
});
