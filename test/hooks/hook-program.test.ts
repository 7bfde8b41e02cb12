import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileHook } from '../../src/hooks/program/hook-program.ts';
import { traceArm64 } from './arm64.ts';

let folder: string;
let servers: Server[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-quick-'));
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const refusal = 'It was cut.\n';
const socket = () => join(folder, 's');
const note = () => join(folder, 's.starting');
/** What it becomes says what it read, by which way it came, and ends as no other does. */
const slow =
  "process.stdin.on('data',c=>h.update(c)).on('end',()=>{console.log(process.argv[1]+h.digest('hex')+process.env.MARK);process.exitCode=7});const h=require('crypto').createHash('sha1')";

function program(
  slowly: readonly string[] = [process.execPath, '-e', slow, 'slow '],
  server: readonly string[] = ['/nowhere'],
): string {
  const path = join(folder, 'hook');
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  const log = join(folder, 'log');
  const given = {
    client: 'claude',
    args: ['--x'],
    socket: socket(),
    note: note(),
    server,
    log,
    slowly,
    refusal,
  };
  writeFileSync(path, compileHook(given, architecture), { mode: 0o700 });
  return path;
}

/** A server that answers each hook with these bytes once it has all; what it was told. */
async function serve(answer: Buffer): Promise<Buffer[]> {
  const heard: Buffer[] = [];
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    const chunks: Buffer[] = [];
    connection.on('error', () => {});
    connection.on('data', (chunk) => chunks.push(chunk));
    connection.on('end', () => {
      heard.push(Buffer.concat(chunks));
      connection.end(answer);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(socket(), resolve));
  return heard;
}

function start(path: string, input: string, shell?: string) {
  const child = spawn(shell ? 'sh' : path, shell ? ['-c', shell, path] : [], {
    env: { MARK: ' mark', PATH: process.env.PATH },
    cwd: folder,
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...said })),
  );
}

function answer(code: number, stream: number, words: string): Buffer {
  const head = Buffer.alloc(12);
  for (const [at, value] of [code, stream, Buffer.byteLength(words)].entries())
    head.writeUInt32LE(value, at * 4);
  return Buffer.concat([head, Buffer.from(words)]);
}

const digestOf = (words: string) => createHash('sha1').update(words).digest('hex');
const asSlow = (input: string) => ({ code: 7, stdout: `slow ${digestOf(input)} mark\n`, stderr: '' });
const big = JSON.stringify({ content: '関所'.repeat(2_000_000) });

test.each([
  [
    'an allow',
    '{"a":1}',
    answer(0, 1, '{"allow":true}\n'),
    { code: 0, stdout: '{"allow":true}\n', stderr: '' },
  ],
  ['nothing to say', '{}', answer(0, 1, ''), { code: 0, stdout: '', stderr: '' }],
  ['a refusal', '{}', answer(2, 2, 'no\n'), { code: 2, stdout: '', stderr: 'no\n' }],
  ['an event and an answer of 12 MB', big, answer(0, 1, big), { code: 0, stdout: big, stderr: '' }],
])('%s is told and copied whole', async (_name, input, words, expected) => {
  const heard = await serve(words);
  const said = await start(program(), input);
  expect(said.code).toBe(expected.code);
  expect(said.stdout === expected.stdout && said.stderr === expected.stderr).toBe(true);
  expect(heard).toHaveLength(1);
  expect(heard[0]?.equals(Buffer.from(`claude\0["--x"]\0${folder}\0${input}`))).toBe(true);
});

test.each([
  ['no server', undefined],
  ['a server that ends without a word', Buffer.alloc(0)],
  ['a head that is cut', Buffer.alloc(11)],
])('%s: the slow one reads the same event, in the same environment', async (_name, words) => {
  if (words) await serve(words);
  for (const input of ['', '{"a":1}', big]) {
    rmSync(note(), { force: true });
    expect(await start(program(), input)).toEqual(asSlow(input));
  }
});

test('nothing that a server says, however it is cut, ends well but a whole answer', async () => {
  const whole = answer(0, 1, '{"allow":true}\n');
  const path = program();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.nat(whole.length - 1).map((at) => whole.subarray(0, at)),
        fc.uint8Array({ maxLength: 64 }).map((tail) => Buffer.concat([whole, tail, Buffer.from('x')])),
        fc
          .uint8Array({ minLength: 12, maxLength: 40 })
          .map((bytes) => Buffer.concat([Buffer.from([0]), bytes])),
      ),
      async (bytes) => {
        await serve(bytes);
        const { code } = await start(path, '{}');
        expect([2, 7]).toContain(code);
        for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
      },
    ),
    { numRuns: 60 },
  );
});

test('an answer that is cut after it began is refused, with words', async () => {
  await serve(answer(0, 1, '{"allow":true}\n').subarray(0, 20));
  expect(await start(program(), '{}')).toEqual({ code: 2, stdout: '{"allow"', stderr: refusal });
});

test('where nothing can be started, and where nobody reads, it refuses', async () => {
  expect(await start(program(['/nowhere']), '{}')).toEqual({ code: 2, stdout: '', stderr: refusal });
  rmSync(note(), { force: true });
  await serve(answer(0, 1, '{"allow":true}\n'));
  // A pipe whose reader has left, before it is written to.
  writeFileSync(join(folder, 'reader'), '');
  const left = '{ while [ -e reader ]; do :; done; "$0"; echo $? >&2; } | { exec <&-; rm reader; }';
  expect((await start(program(), '{}', left)).stderr).toContain('2\n');
});

test('while another one starts the server, it waits for that', async () => {
  writeFileSync(note(), '');
  const saying = start(program(), '{}');
  setTimeout(() => void serve(answer(0, 1, 'yes')), 200);
  expect(await saying).toEqual({ code: 0, stdout: 'yes', stderr: '' });
});

test('one that finds nobody starts the server, apart from the client, and waits for its answer', async () => {
  const listen =
    "console.log('up',require('fs').readlinkSync('/proc/self/fd/0'));const s=require('net').createServer({allowHalfOpen:true},c=>c.resume().on('end',()=>{c.end(Buffer.from(process.argv[1],'hex'));s.close()})).listen(process.argv[2])";
  const bytes = answer(0, 1, 'yes').toString('hex');
  const server = [process.execPath, '-e', listen, bytes, socket()];
  expect(await start(program(undefined, server), '{}')).toEqual({ code: 0, stdout: 'yes', stderr: '' });
  expect(existsSync(note())).toBe(true);
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('up /dev/null\n');
});

test('where the server gives up, nobody goes on waiting', async () => {
  writeFileSync(note(), '');
  const saying = start(program(), '{}');
  rmSync(note());
  expect(await saying).toEqual(asSlow('{}'));
});

const given = {
  client: 'c',
  args: [],
  socket: '/s',
  note: '/n',
  log: '/l',
  server: ['/server'],
  slowly: ['/slow', 'x'],
  refusal,
};
const wellOnArm64 = [
  ...['memfd_create', 'read', 'write', 'read', 'socket', 'connect', 'sendto', 'getcwd', 'sendto', 'lseek'],
  ...[
    'read',
    'sendto',
    'read',
    'shutdown',
    'recvfrom',
    'rt_sigprocmask',
    'recvfrom',
    'write',
    'recvfrom',
    'exit',
  ],
];
/** Two bytes of an event, a greeting and a folder of five, an answer of three bytes for the status 9. */
const kernel = (fails?: number) => {
  const left = new Map([
    ['read', [2, 0, 2, 0]],
    ['write', [2, 3]],
    ['sendto', [5, 5, 2]],
    ['recvfrom', [12, 3, 0]],
    ['getcwd', [5]],
    ['memfd_create', [3]],
    ['socket', [4]],
    ['clone', [-11]],
  ]);
  let calls = 0;
  return (name: string) => {
    if (calls++ === fails) return -5;
    return left.get(name)?.shift() ?? 0;
  };
};
const head = [9, 1, 3];

test('on arm64 it makes the same calls', () => {
  const calls = traceArm64(compileHook(given, 'arm64'), kernel(), head);
  expect(calls.map(([name]) => name)).toEqual(wellOnArm64);
  expect(calls.at(-1)).toEqual(['exit', 9]);
  expect(calls.filter(([name]) => name === 'write').map(([, fd, , length]) => [fd, length])).toEqual([
    [3, 2],
    [1, 3],
  ]);
});

test('on arm64 whatever fails has it become the slow one or refuse, and never end well', () => {
  const mayFail = new Set(['lseek', 'shutdown', 'rt_sigprocmask', 'exit']);
  for (const [at, name] of wellOnArm64.entries()) {
    if (mayFail.has(name)) continue;
    const ending = traceArm64(compileHook(given, 'arm64'), kernel(at), head)
      .map(([each, first]) => (each === 'exit' ? `exit ${first}` : each))
      .slice(-3);
    // Nothing of these is there to become, so the refusal follows.
    expect(ending).toEqual(at > 14 ? [expect.any(String), 'write', 'exit 2'] : ['execve', 'write', 'exit 2']);
  }
});

test.each([
  ['the one that starts the server', 77, ['nanosleep', 'faccessat', 'connect', 'sendto']],
  ['the server', 0, ['setsid', 'openat', 'dup3', 'openat', 'dup3', 'dup3', 'execve', 'unlinkat', 'exit']],
])('on arm64 a start is made: %s', (_who, cloned, expected) => {
  let connects = 0;
  const told = kernel();
  const calls = traceArm64(
    compileHook(given, 'arm64'),
    (name) => {
      if (name === 'connect') return connects++ === 0 ? -111 : 0;
      return name === 'clone' ? cloned : told(name);
    },
    head,
  ).map(([name]) => name);
  expect(calls.slice(calls.indexOf('clone') + 1).slice(0, expected.length)).toEqual(expected);
});

test('a path that no socket can have is an error when it is made', () => {
  expect(() => compileHook({ ...given, socket: `/${'x'.repeat(108)}` }, 'x64')).toThrow(/too long/);
});
