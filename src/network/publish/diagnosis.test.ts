import { expect, test } from 'vitest';
import { findListeners, ownerOf } from './diagnosis.ts';

const ends = {
  local: { address: '127.0.0.1', port: 50_000 },
  remote: { address: '127.0.0.1', port: 3000 },
};

/** An answer of the kernel with one socket. */
function answer({
  family = 2,
  state = 1,
  port = 50_000,
  to = 3000,
  user = 0,
  inode = 0,
  address = '7f000001',
}) {
  const message = Buffer.alloc(88);
  message.writeUInt32LE(88, 0);
  message.writeUInt16LE(20, 4);
  message.writeUInt8(family, 16);
  message.writeUInt8(state, 17);
  message.writeUInt16BE(port, 20);
  message.writeUInt16BE(to, 22);
  message.write(address, 24, 'hex');
  message.writeUInt32LE(user, 80);
  message.writeUInt32LE(inode, 84);
  return message;
}

test.each<[string, Parameters<typeof answer>[0], number | undefined]>([
  ['an open connection is its user’s', { user: 1000, inode: 7 }, 1000],
  ['one that sends no more, too', { user: 1000, inode: 7, state: 5 }, 1000],
  ['a closed one is nobody’s, though the kernel says root', { user: 0, inode: 0, state: 5 }, undefined],
  ['one that is over', { user: 0, inode: 0, state: 6 }, undefined],
  ['a listener at the same place is another socket', { user: 0, inode: 7, state: 10, to: 0 }, undefined],
  ['a listener with these numbers', { user: 0, inode: 7, state: 10 }, undefined],
  ['another connection', { user: 0, inode: 7, port: 50_001 }, undefined],
])('%s', (_name, socket, owner) => {
  expect(ownerOf(ends, () => answer(socket))).toBe(owner);
});

test('without an answer, or with an error, nobody owns it', () => {
  expect(ownerOf(ends, () => Buffer.alloc(0))).toBeUndefined();
  const error = Buffer.alloc(36);
  error.writeUInt32LE(36, 0);
  error.writeUInt16LE(2, 4);
  expect(ownerOf(ends, () => error)).toBeUndefined();
});

test('listeners are those that the loopback leads to', () => {
  const listening = [
    answer({ state: 10, port: 3000, inode: 1 }),
    answer({ state: 10, port: 3001, inode: 2, address: '00000000' }),
    answer({ state: 10, port: 3002, inode: 3, address: '0a000001' }),
    answer({ family: 10, state: 10, port: 3003, inode: 4, address: `${'00'.repeat(15)}01` }),
    answer({ family: 10, state: 10, port: 3004, inode: 5, address: '00'.repeat(16) }),
    answer({ family: 10, state: 10, port: 3005, inode: 6, address: `fd${'00'.repeat(15)}` }),
  ];
  let times = 0;
  const found = findListeners(() => (times++ === 0 ? Buffer.concat(listening) : Buffer.alloc(0)));
  expect(found.map(({ address, port, inode }) => `${address} ${port} ${inode}`)).toEqual([
    '127.0.0.1 3000 1',
    '127.0.0.1 3001 2',
    '::1 3003 4',
    '::1 3004 5',
  ]);
});
