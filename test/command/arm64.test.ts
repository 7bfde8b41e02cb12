import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileLayer } from '../../src/command/child/layer-program.ts';
import { compileHook } from '../../src/hooks/program/hook-program.ts';
import { compileRelay } from '../../src/network/proxy/relay-program.ts';
import { needs, programs } from '../support/needs.ts';

/** Programs of ours for arm64, run by qemu on this kernel: real instructions, real system calls. */
const qemu = 'qemu-aarch64-static';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-arm64-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, program: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, program, { mode: 0o700 });
  return path;
}

test(
  'the relay listens, hands its listeners out and becomes the command',
  needs(programs(qemu, 'python3')),
  () => {
    const at = (address: string) => ({ address, port: 0 });
    const relay = put(
      'relay',
      compileRelay([at('127.0.0.1'), at('127.64.0.2')], { self: 4, listeners: 5, ready: 6 }, 'arm64'),
    );
    // Python receives descriptors, which Node does not.
    const receiver = `
import array, os, socket, subprocess, sys
for _ in range(3, 10): os.open('/dev/null', os.O_RDONLY)
ours, theirs = socket.socketpair()
seen, ready = os.pipe()
os.dup2(theirs.fileno(), 5); os.dup2(ready, 6)
child = subprocess.Popen(['${qemu}', '${relay}', '/bin/sh', '-c', 'echo became'], pass_fds=(4, 5, 6), stdout=subprocess.PIPE)
listeners = [socket.recv_fds(ours, 1, 1)[1][0] for _ in range(2)]
assert os.read(seen, 1) != b''
for fd in listeners:
  listener = socket.socket(fileno=fd)
  host, port = listener.getsockname()
  socket.create_connection((host, port)).close()
  print(host)
print(child.communicate()[0].decode().strip(), child.returncode)
`;
    const { stdout, stderr } = spawnSync('python3', ['-c', receiver], { encoding: 'utf8', timeout: 30_000 });
    expect({ stdout, stderr }).toEqual({ stdout: '127.0.0.1\n127.64.0.2\nbecame 0\n', stderr: '' });
  },
);

async function hooked(answer: Buffer | undefined, input: string) {
  const socket = join(folder, 's');
  const heard: Buffer[] = [];
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('data', (chunk) => heard.push(chunk)).on('end', () => connection.end(answer ?? ''));
  });
  if (answer) await new Promise<void>((resolve) => server.listen(socket, resolve));
  const hook = put(
    'hook',
    compileHook(
      {
        client: 'claude',
        args: [],
        socket,
        note: join(folder, 's.starting'),
        refusal: 'It was cut.\n',
        server: ['/nowhere'],
        log: join(folder, 'log'),
        slowly: ['/bin/sh', '-c', 'cat; exit 7'],
      },
      'arm64',
    ),
  );
  const child = spawn(qemu, [hook]);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  server.close();
  return { code, stdout, heard: Buffer.concat(heard).toString() };
}

test(
  'a hook hands its event on, and says what it is answered',
  needs(programs(qemu, 'python3')),
  async () => {
    const head = Buffer.alloc(12);
    for (const [at, value] of [2, 1, 3].entries()) head.writeUInt32LE(value, at * 4);
    const event = JSON.stringify({ text: 'x'.repeat(300_000) });
    const { code, stdout, heard } = await hooked(Buffer.concat([head, Buffer.from('no\n')]), event);
    expect({ code, stdout }).toEqual({ code: 2, stdout: 'no\n' });
    expect(heard).toContain(event);
  },
);

test(
  'where no server is, it becomes the slow one with all of its input',
  needs(programs(qemu, 'python3')),
  async () => {
    expect(await hooked(undefined, '{"a":1}')).toMatchObject({ code: 7, stdout: '{"a":1}' });
  },
);

test('a layer that cannot be put up starts nothing', needs(programs(qemu, 'python3')), () => {
  for (const name of ['lower', 'upper', 'work']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'lower/a'), 'one');
  const data = `lowerdir=${folder}/lower,upperdir=${folder}/upper,workdir=${folder}/work`;
  const layer = compileLayer(
    {
      overlays: [{ on: join(folder, 'lower'), upper: join(folder, 'upper'), data }],
      user: process.getuid?.() ?? 0,
      group: process.getgid?.() ?? 0,
      self: 3,
      next: '/bin/sh',
    },
    'arm64',
  );
  const write = ['/bin/sh', '-c', `echo two > ${folder}/lower/a`];
  const { status } = spawnSync(qemu, [put('layer', layer), ...write], { stdio: 'pipe' });
  // qemu is a program of several threads, which Linux gives no namespace of users.
  expect(status).toBe(126);
  expect(readFileSync(join(folder, 'lower/a'), 'utf8')).toBe('one');
});
