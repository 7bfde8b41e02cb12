import { expect, test } from 'vitest';
import { trace } from '../../../test/command/traced-program.ts';
import { compileLayer, type LayerOptions } from './layer-program.ts';

const options: LayerOptions = {
  overlays: [
    { on: '/repo/a', upper: '/l/0/upper', data: 'lowerdir=/repo/a,upperdir=/l/0/upper,workdir=/l/0/repo' },
    { on: '/repo/b', upper: '/l/1/upper', data: 'lowerdir=/repo/b,upperdir=/l/1/upper,workdir=/l/1/repo' },
  ],
  user: 1000,
  group: 100,
  self: 5,
  next: '/usr/bin/bwrap',
};

test.each(['x64', 'arm64'] as const)(
  'on %s it mounts each overlay in namespaces of its own',
  (architecture) => {
    const calls = trace(compileLayer(options, architecture), architecture, (name) =>
      name === 'openat' ? 5 : 0,
    );
    expect(calls.map(([name, ...args]) => (name === 'mount' ? `mount ${args[3]}` : name))).toEqual([
      'close',
      'unshare',
      ...['openat', 'write', 'close'],
      ...['openat', 'write', 'close'],
      ...['openat', 'write', 'close'],
      'mount 6',
      'mount 6',
      'execve',
      'exit',
    ]);
    expect(calls[1]).toEqual(['unshare', 0x10020000]);
    // Each map is written to the descriptor that `openat` returned.
    expect(calls.filter(([name]) => name === 'write').map(([, fd]) => fd)).toEqual([5, 5, 5]);
  },
);

test.each(['x64', 'arm64'] as const)(
  'on %s it hands over what is below each overlay, and what looks there anew, where the kernel has that',
  (architecture) => {
    const room = { namespaces: [5, 6, 7], close: [4] };
    const program = compileLayer({ ...options, self: 9, room, channel: 8 }, architecture);
    const handed = ['openat', 'sendmsg', 'close', 'mount', 'fspick', 'sendmsg', 'close'];
    for (const found of [4, -1]) {
      const calls = trace(program, architecture, (name) =>
        name === 'openat' || name === 'fspick' ? found : 0,
      );
      const names = calls.map(([name]) => name);
      expect(names.slice(names.indexOf('openat'))).toEqual([...handed, ...handed, 'execve', 'exit']);
      expect(calls.filter(([name]) => name === 'sendmsg').map(([, socket]) => socket)).toEqual([8, 8, 8, 8]);
    }
    // The lowest number that is closed by then.
    expect(trace(program, architecture, () => 0).findLast(([name]) => name === 'close')?.[1]).toBe(4);
  },
);

test.each(['x64', 'arm64'] as const)('on %s nothing starts where a step fails', (architecture) => {
  const program = compileLayer(options, architecture);
  for (const failing of ['unshare', 'openat', 'write', 'mount']) {
    const calls = trace(program, architecture, (name) => (name === failing ? -1 : 0));
    expect(calls.slice(-2).map(([name]) => name)).toEqual([failing, 'exit']);
  }
});

test('paths that do not fit into what mount(2) reads are refused before anything starts', () => {
  const long = { on: '/a', upper: '/b', data: `lowerdir=/${'x'.repeat(4096)}` };
  expect(() => compileLayer({ ...options, overlays: [long] }, 'x64')).toThrow('too long');
});
