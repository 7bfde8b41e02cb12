import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, watch } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

/** What Node does not listen at. */
const outsideListener = `
import os, socket, sys, threading
def told(kind, path):
  door = socket.socket(socket.AF_UNIX, kind)
  door.bind(path)
  if kind == socket.SOCK_SEQPACKET:
    door.listen()
    while True: door.accept(); print('packets', flush=True)
  while True: door.recv(100); print('a datagram', flush=True)
threading.Thread(target=told, args=(socket.SOCK_SEQPACKET, sys.argv[1]), daemon=True).start()
threading.Thread(target=told, args=(socket.SOCK_DGRAM, sys.argv[2]), daemon=True).start()
while not (os.path.exists(sys.argv[1]) and os.path.exists(sys.argv[2])): pass
print('listening', flush=True)
sys.stdin.read()
`;

test.for([
  ['at first', 0],
  // By then another thread answers.
  ['after many connections', 40],
] as const)(
  `a command is connected to no socket of Unix that somebody outside of its session listens at, %s`,
  needs(programs('python3'), sandbox('bubblewrap')),
  async ([, before]) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-sockets-')));
    const [root, tools, outside] = ['root', 'tools', 'outside'].map((name) => join(base, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [root, tools, outside]) mkdirSync(folder);
    copyFileSync(
      fileURLToPath(new URL('../command/socket-visitor.py', import.meta.url)),
      join(root, 'visitor.py'),
    );
    const reached: string[] = [];
    const listen = (path: string): Promise<Server> =>
      new Promise((resolve, reject) => {
        const server = createServer((socket) => {
          reached.push(path);
          socket.destroy();
        });
        server.once('error', reject).listen(path, () => resolve(server));
      });
    const told = {
      inRoot: join(root, 's'),
      later: join(root, 'later'),
      packets: join(root, 'packets'),
      datagram: join(root, 'datagram'),
      readable: join(tools, 'agent'),
      outside: join(outside, 'docker.sock'),
      abstract: `sekisho-${process.pid}`,
      otherSession: join(root, 'of-another-session'),
    };
    const servers = await Promise.all(
      [told.inRoot, told.readable, told.outside, `\0${told.abstract}`].map(listen),
    );
    const python = spawn('/usr/bin/python3', ['-c', outsideListener, told.packets, told.datagram]);
    const said: string[] = [];
    python.stdout.setEncoding('utf8').on('data', (words: string) => said.push(words));
    await once(python.stdout, 'data');
    const watching = watch(root, (_, name) => {
      if (name === 'ready-for-later' && !existsSync(told.later))
        void listen(told.later).then((one) => servers.push(one));
    });
    const commands = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: ['bubblewrap'],
      readable: [tools],
    });
    const inRoot = {
      workingFolder: root,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      inSession: true,
    };
    try {
      const other = await commands.forSession('other').start(
        {
          kind: 'program',
          program: '/usr/bin/python3',
          args: [
            '-c',
            "import socket; s = socket.socket(socket.AF_UNIX); s.bind('of-another-session'); s.listen(); print('up', flush=True); s.accept(); print('reached', flush=True)",
          ],
        },
        inRoot,
      );
      await expect.poll(() => existsSync(told.otherSession)).toBe(true);
      await commands.forSession('visitor').run(
        {
          kind: 'program',
          program: '/usr/bin/python3',
          args: [
            '-c',
            `import socket\nfor _ in range(${before}): socket.socket(socket.AF_UNIX).connect_ex('none')`,
          ],
        },
        inRoot,
      );
      const result = await commands
        .forSession('visitor')
        .run(
          { kind: 'program', program: '/usr/bin/python3', args: ['visitor.py', JSON.stringify(told)] },
          inRoot,
        );
      expect(result.stderr).toBe('');
      const got = JSON.parse(result.stdout) as Record<string, string>;
      expect({ got, reached, said: said.join(''), other: other.read().text }).toEqual({
        got: {
          'in the root': 'EACCES',
          'by a short name, in the bytes of an internet address': 'EACCES',
          'by a name without an end': 'EACCES',
          'through a link': 'EACCES',
          'through /proc': expect.stringMatching(/^E/),
          'through the root of a process': expect.stringMatching(/^E/),
          'by another name of it': 'EACCES',
          'in the place of one of ours': 'EACCES',
          'by an address that changes': 'refused',
          'by a descriptor that changes': 'refused',
          'by packets': 'EACCES',
          'by a datagram': 'EACCES',
          'by a datagram from a pair': 'EACCES',
          'by a socket of another process': 'refused',
          'made after the start': 'EACCES',
          'in a folder of tools': 'EACCES',
          outside: 'ENOENT',
          'outside, through a link in the root': 'ENOENT',
          'an abstract one': 'ECONNREFUSED',
          'of another session': 'ECONNREFUSED',
        },
        reached: [],
        said: 'listening\n',
        other: expect.not.stringContaining('reached'),
      });
    } finally {
      watching.close();
      await commands.close();
      python.kill();
      for (const server of servers) server.close();
      rmSync(base, { recursive: true, force: true });
    }
  },
);
