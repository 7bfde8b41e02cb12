import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { type SyscallName, syscallNumbers } from '../../ground/machine/syscalls.ts';
import {
  absent,
  changing,
  compileFilter,
  type FilterPlan,
  forbidden,
  signalling,
  tracing,
  watched,
  watching,
} from './seccomp.ts';

const plans: readonly FilterPlan[] = [
  { sockets: 'private', signals: true, tracing: true },
  { sockets: 'supervised', signals: true, tracing: true },
  { sockets: 'supervised', signals: true, tracing: true, files: 'watched' },
  { sockets: 'none', signals: true, tracing: false },
  { sockets: 'none', signals: false, tracing: false },
];

describe.each(['x64', 'arm64'] as const)('%s', (architecture) => {
  test.each(plans)('the filter of %j holds what it should', (plan) => {
    expect(findFilterHole(compileFilter(plan, architecture), plan, architecture)).toBeUndefined();
  });

  test('a filter of less than the plan is found out', () => {
    const [loose, strict] = [plans[0], plans[4]];
    if (!loose || !strict) throw new Error('the plans are above');
    expect(findFilterHole(compileFilter(loose, architecture), strict, architecture)).toBeDefined();
    expect(findFilterHole(compileFilter(strict, architecture), loose, architecture)).toBeDefined();
  });

  test.each(plans)('with any one comparison of %j taken out, the check goes red', (plan) => {
    const filter = compileFilter(plan, architecture);
    const unseen: string[] = [];
    for (let at = 0; at < filter.length; at += 8) {
      if (filter.readUInt16LE(at) !== 0x15) continue;
      const changed = Buffer.from(filter);
      // No call has this number, so the rule is disabled.
      changed.writeUInt32LE(0x3fffffff, at + 4);
      if (findFilterHole(changed, plan, architecture) === undefined)
        unseen.push(String(filter.readUInt32LE(at + 4)));
    }
    expect(unseen).toEqual([]);
  });

  test('with any one refusal turned into permission, the check goes red', () => {
    for (const plan of plans) {
      const filter = compileFilter(plan, architecture);
      for (let at = 0; at < filter.length; at += 8) {
        if (filter.readUInt16LE(at) !== 0x06 || filter.readUInt32LE(at + 4) === 0x7fff0000) continue;
        const changed = Buffer.from(filter);
        changed.writeUInt32LE(0x7fff0000, at + 4);
        expect(findFilterHole(changed, plan, architecture), `instruction ${at / 8}`).toBeDefined();
      }
    }
  });
});

/**
 * Runs a compiled filter, as the kernel would, on calls that bypass other restrictions. Returns the first that it
 * allows, or a common one that it refuses.
 */
function findFilterHole(filter: Buffer, plan: FilterPlan, architecture: 'x64' | 'arm64'): string | undefined {
  const index = architecture === 'x64' ? 0 : 1;
  const token = architecture === 'x64' ? 0xc000003e : 0xc00000b7;
  const ask = (number: number, ...args: number[]) => evaluate(filter, number, token, args) === allow;
  for (const [name, ...args] of mustRefuse(plan)) {
    const number = syscallNumbers[name][index];
    if (number !== undefined && ask(number, ...args)) return `${name}(${args.join(', ')}) is allowed`;
  }
  for (const [name, ...args] of mustAllow(plan)) {
    const number = syscallNumbers[name][index];
    if (number !== undefined && !ask(number, ...args)) return `${name}(${args.join(', ')}) is refused`;
  }
  const connecting = evaluate(filter, syscallNumbers.connect[index], token, [3, 1, 110]);
  if (connecting !== (plan.sockets === 'supervised' ? notify : allow)) return 'connect is answered otherwise';
  for (const name of watching) {
    const number = syscallNumbers[name][index];
    const isAnswered = plan.sockets === 'supervised' && plan.files !== 'watched';
    if (number !== undefined && evaluate(filter, number, token, []) !== (isAnswered ? notify : allow))
      return `${name} is answered otherwise`;
  }
  for (const [name, ...args] of destroying) {
    const number = syscallNumbers[name][index];
    if (number === undefined) continue;
    const answered = evaluate(filter, number, token, args);
    if (answered !== (plan.files === 'watched' ? notify : allow))
      return `${name}(${args.join(', ')}) is answered otherwise`;
  }
  if (!ask(index === 0 ? 0 : 63)) return 'read is refused';
  // Another architecture's numbers mean other calls.
  if (evaluate(filter, 1, 0x40000003, []) === allow) return 'calls of 32-bit programs are allowed';
  if (architecture === 'x64' && ask(0x40000000 + 41, 1)) return 'x32 calls are allowed';
  return undefined;
}

/** Calls that destroy content or names in the caller's folders, or change what else is kept of an entry. */
const destroying: readonly Probe[] = [
  ['open', 0, 1],
  ['open', 0, 0o102, 0o644],
  ['openat', 0, 0, 2],
  ['openat', 0, 0, 0o1000],
  ['openat', 0, 0, 0o2000301, 0o600],
  ['creat', 0, 0o644],
  ['mknod', 0, 0o100644],
  ['mknodat', 0, 0, 0o100644],
  ['chmod', 0, 0o2755],
  ['fchmod', 0, 0o644],
  ['fchmodat', 0, 0, 0o644],
  ['utimensat', 0, 8, 0, 0],
  ['utimensat', 0, 2 ** 32, 0, 0],
  ...[...watched, ...changing].map((name): Probe => [name]),
];

type Probe = readonly [name: SyscallName, ...args: number[]];

function mustRefuse(plan: FilterPlan): readonly Probe[] {
  const always: Probe[] = [
    ['socket', 1, 2, 0], // datagrams of Unix
    ['socket', 1, 0x80803, 0], // the same by another name
    ['socketpair', 1, 2, 0], // which one end sends to anybody
    ['socketpair', 1, 0x80003, 0],
    ['socket', 2, 1, 262], // MPTCP
    ['socket', 2, 3, 1], // raw
    ['socket', 2, 3 | 0x80000, 255],
    ['socket', 10, 1, 262],
    ['socket', 10, 3, 58],
    ['socket', 16, 3, 15], // netlink, kernel events
    ['socket', 17, 3, 768], // packet
    ['socket', 38, 5, 0], // the kernel's ciphers
    ['socket', 40, 1, 0], // vsock: the host of a virtual machine
    ['socketpair', 30, 1, 0],
    ['clone', 0x10000000],
    ['clone', 0x40000011],
    ...[...forbidden, ...absent].map((name): Probe => [name]),
    ['chmod', 0, 0o4755],
    ['fchmod', 0, 0o6755],
    ['fchmodat', 0, 0, 0o4755],
    ['creat', 0, 0o4755],
    ['open', 0, 0o101, 0o4755],
    ['openat', 0, 0, 0o20200001, 0o4755],
    ['mknod', 0, 0o104755],
    ['mknodat', 0, 0, 0o104755],
    ['ioctl', 0, 0x5412],
    ['ioctl', 0, 0x541c],
    ['personality', 0x400000],
    ['setrlimit', 15],
    ['prlimit64', 0, 15, 0x1000],
    ['prlimit64', 0, 15, 2 ** 32],
  ];
  if (plan.sockets === 'none') always.push(['socket', 2, 1, 0], ['socket', 2, 2, 0], ['socket', 10, 1, 0]);
  if (plan.sockets !== 'supervised') always.push(['socket', 1, 1, 0], ['socket', 1, 0x80805, 0]);
  const others = [...(plan.signals ? [] : signalling), ...(plan.tracing ? [] : tracing)];
  return [...always, ...others.map((name): Probe => [name, 1, 9])];
}

function mustAllow(plan: FilterPlan): readonly Probe[] {
  const always: Probe[] = [
    ['socketpair', 1, 1, 0],
    ['socketpair', 1, 0x80805, 0],
    ['clone', 0x1200011],
    ['clone', 0x3d0f00],
    ['ioctl', 0, 0x5401],
    ['openat', 0, 0, 0, 0o4755],
    ['utimensat', 3, 0, 0, 0],
    ['personality', 0],
    ['personality', 0x40000],
    ['personality', 0xffffffff],
    ['setrlimit', 7],
    ['prlimit64', 0, 15, 0],
    ['prlimit64', 0, 7, 0x1000],
  ];
  if (plan.sockets === 'supervised') always.push(['socket', 1, 0x80801, 0], ['socket', 1, 5, 0]);
  if (plan.sockets !== 'none')
    always.push(['socket', 2, 0x80801, 0], ['socket', 10, 2, 17], ['socket', 16, 3, 0]);
  if (plan.signals) always.push(['kill', 1, 15]);
  return always;
}

const allow = 0x7fff0000;
const notify = 0x7fc00000;

/**
 * Interprets the few instructions that `compileFilter` uses. An unknown one means kill, as the kernel refuses to load
 * it.
 */
function evaluate(filter: Buffer, number: number, architecture: number, args: readonly number[]): number {
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const offset = at * 8;
    const value = filter.readUInt32LE(offset + 4);
    const jump = (holds: boolean) => {
      at += filter.readUInt8(offset + (holds ? 2 : 3));
    };
    switch (filter.readUInt16LE(offset)) {
      case 0x20:
        accumulator = load(value, number, architecture, args);
        break;
      case 0x54:
        accumulator = (accumulator & value) >>> 0;
        break;
      case 0x15:
        jump(accumulator === value);
        break;
      case 0x35:
        jump(accumulator >= value);
        break;
      case 0x45:
        jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return value;
      default:
        return 0;
    }
  }
  return 0;
}

function load(offset: number, number: number, architecture: number, args: readonly number[]): number {
  if (offset === 0) return number;
  if (offset === 4) return architecture;
  const value = args[Math.floor((offset - 16) / 8)] ?? 0;
  return offset % 8 === 0 ? value >>> 0 : Math.floor(value / 2 ** 32) >>> 0;
}
