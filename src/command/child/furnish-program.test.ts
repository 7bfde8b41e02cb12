import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { trace } from '../../../test/command/traced-program.ts';
import { compileFurnish } from './furnish-program.ts';

const options = {
  links: [
    { link: '/.git-links/0', over: '/a/.git/config' },
    { link: '/.git-links/1', over: '/b/.git/config' },
  ],
  filter: Buffer.alloc(16, 7),
  self: 3,
  next: '/bin/sh',
};

test.each(['x64', 'arm64'] as const)(
  'on %s links are mounted, every right is given up and the filter loaded before the next program runs',
  (architecture) => {
    const program = compileFurnish(options, architecture);
    const calls = trace(program, architecture, () => 0);
    const text = (address = 0) => {
      const at = address - 0x400000;
      return program.toString('latin1', at, program.indexOf(0, at));
    };
    const mounting = calls.slice(2, 8);
    expect(mounting.map(([name]) => name)).toEqual([
      'open_tree',
      'move_mount',
      'close',
      'open_tree',
      'move_mount',
      'close',
    ]);
    for (const [index, { link, over }] of options.links.entries()) {
      const [, openFrom, path, flags] = mounting[index * 3] ?? [];
      expect([openFrom, text(path), flags]).toEqual([0xffffff9c, link, 0x80101]);
      const [, fd, empty, moveFrom, target, how] = mounting[index * 3 + 1] ?? [];
      expect([fd, text(empty), moveFrom, text(target), how]).toEqual([3, '', 0xffffff9c, over, 4]);
    }
    const [, header = 0, none = 0] = calls.find(([name]) => name === 'capset') ?? [];
    expect(program.readUInt32LE(header - 0x400000)).toBe(0x20080522);
    expect(program.subarray(none - 0x400000, none - 0x400000 + 24).every((byte) => byte === 0)).toBe(true);
    const [, , , rules = 0] = calls.find(([name]) => name === 'seccomp') ?? [];
    expect(program.readUInt16LE(rules - 0x400000)).toBe(2);
    const at = Number(program.readBigUInt64LE(rules - 0x400000 + 8)) - 0x400000;
    expect(program.subarray(at, at + 16)).toEqual(options.filter);
    expect([...calls.slice(0, 2), ...calls.slice(8)]).toEqual([
      ['close', 3],
      ['unshare', 0x20000],
      ['prctl', 24, 21, 0, 0, 0],
      ['prctl', 24, 8, 0, 0, 0],
      ['prctl', 47, 4, 0, 0, 0],
      ['capset', header, none],
      ['seccomp', 1, 0, rules],
      ['execve', 0x404000],
      ['exit', 126],
    ]);
    expect(text(0x404000)).toBe('/bin/sh');
  },
);

test.each(['x64', 'arm64'] as const)(
  'on %s what supervises is handed over, and nothing of it is left to the next program',
  (architecture) => {
    const supervised = { ...options, links: [], channel: 6 };
    const program = compileFurnish(supervised, architecture);
    const calls = trace(program, architecture, () => 0);
    const [, , message = 0] = calls.find(([name]) => name === 'sendmsg') ?? [];
    const at = (address: number) => address - 0x400000;
    const control = at(Number(program.readBigUInt64LE(at(message) + 32)));
    // SOL_SOCKET, SCM_RIGHTS, the lowest free number.
    expect([8, 12, 16].map((offset) => program.readUInt32LE(control + offset))).toEqual([1, 1, 3]);
    expect(calls.map(([name, ...args]) => [name, ...args.slice(0, 2)])).toEqual([
      ['close', 3],
      ['socket', 16, 0x80003],
      ['sendmsg', 6, message],
      ['close', 3],
      ['seccomp', 1, 40],
      ['sendmsg', 6, message],
      ['close', 3],
      ['close', 6],
      ['execve', 0x404000],
      ['exit', 126],
    ]);
    for (const failing of ['socket', 'seccomp', 'sendmsg']) {
      const cut = trace(program, architecture, (name) => (name === failing ? -1 : 0));
      expect(cut.slice(-2).map(([name]) => name)).toEqual([failing, 'exit']);
    }
  },
);

test.each(['x64', 'arm64'] as const)('on %s nothing starts where a step fails', (architecture) => {
  const program = compileFurnish(options, architecture);
  for (const failing of ['unshare', 'open_tree', 'move_mount', 'prctl', 'capset', 'seccomp']) {
    const calls = trace(program, architecture, (name) => (name === failing ? -1 : 0));
    expect(calls.slice(-2).map(([name]) => name)).toEqual([failing, 'exit']);
  }
});
