import { syscallNumbers } from '../../src/ground/machine/syscalls.ts';

type Call = readonly [name: string, ...args: number[]];

const names = new Map(
  Object.entries(syscallNumbers).map(([name, [, number]]) => [number, name] as [number | undefined, string]),
);

/**
 * Runs a program of ours as an arm64 would, by the manual's encodings: `answer` gives what each call returns, `head` the
 * words that it then finds in the memory it writes. Becoming another program fails.
 */
export function traceArm64(
  file: Buffer,
  answer: (name: string) => number,
  head: readonly number[],
): readonly Call[] {
  const x = new Array<bigint>(32).fill(0n);
  const calls: Call[] = [];
  /** What the program itself has written. */
  const stored = new Map<bigint, bigint>();
  const read = (address: bigint) => stored.get(address) ?? BigInt(head[(Number(address) & 0xfff) / 4] ?? 0);
  let at = Number(file.readBigUInt64LE(24)) - 0x400000;
  let isEqual = false;
  const signed = (value: number, bits: number) => (value << (32 - bits)) >> (32 - bits);
  for (let steps = 0; steps < 10_000; steps++) {
    const word = file.readUInt32LE(at);
    const [d, n, m] = [word & 31, (word >>> 5) & 31, (word >>> 16) & 31];
    const immediate = BigInt((word >>> 5) & 0xffff) << BigInt(((word >>> 21) & 3) * 16);
    const is = (mask: number, bits: number) => (word & mask) >>> 0 === bits;
    let next = at + 4;
    if (is(0xff800000, 0xd2800000)) x[d] = immediate;
    else if (is(0xff800000, 0x92800000)) x[d] = BigInt.asUintN(64, ~immediate);
    else if (is(0xff800000, 0xf2800000))
      x[d] = ((x[d] ?? 0n) & ~(0xffffn << BigInt(((word >>> 21) & 3) * 16))) | immediate;
    else if (is(0xffe0ffe0, 0xaa0003e0)) x[d] = x[m] ?? 0n;
    else if (is(0xffe0fc1f, 0xeb00001f)) isEqual = x[n] === x[m];
    else if (is(0xffe0fc00, 0xcb000000)) x[d] = BigInt.asUintN(64, (x[n] ?? 0n) - (x[m] ?? 0n));
    else if (is(0xff00001f, 0x54000001)) next = isEqual ? next : at + signed(word >>> 5, 19) * 4;
    else if (is(0xff000000, 0xb4000000)) next = x[d] === 0n ? at + signed(word >>> 5, 19) * 4 : next;
    else if (is(0xfff80000, 0xb7f80000))
      next = (x[d] ?? 0n) >> 63n === 1n ? at + signed(word >>> 5, 14) * 4 : next;
    else if (is(0xfc000000, 0x14000000)) next = at + signed(word, 26) * 4;
    else if (is(0xffe0fc00, 0x8b000000)) x[d] = BigInt.asUintN(64, (x[n] ?? 0n) + (x[m] ?? 0n));
    else if (is(0xffc00000, 0xf1000000)) {
      x[d] = BigInt.asUintN(64, (x[n] ?? 0n) - BigInt((word >>> 10) & 0xfff));
      isEqual = x[d] === 0n;
    } else if (is(0xffc00000, 0xb9000000)) stored.set(x[n] ?? 0n, x[d] ?? 0n);
    else if (is(0xffc00000, 0xb9400000) || (is(0xffc00000, 0xf9400000) && n === 9)) x[d] = read(x[n] ?? 0n);
    else if (word === 0xd4000001) {
      const name = names.get(Number(x[8])) ?? 'unknown';
      calls.push([name, ...x.slice(0, 6).map(Number)]);
      if (name === 'exit') return calls.map((call) => (call[0] === 'exit' ? [call[0], call[1] ?? 0] : call));
      x[0] = BigInt.asUintN(64, BigInt(name === 'execve' ? -2 : answer(name)));
    } else if (![0xf94003e9, 0x8b296fe2, 0x91004042, 0x910043e1].includes(word)) {
      throw new Error(`unknown instruction ${word.toString(16)} at ${at}`);
    }
    at = next;
  }
  throw new Error('it did not end');
}
