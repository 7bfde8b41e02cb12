import { type CommonSyscall, syscallNumber } from './syscalls.ts';

/** The index of a register that keeps a value; a call's result lasts only until the next call. */
export type Kept = 0 | 1 | 2 | 3 | 4;
type Argument = number | { readonly kept: Kept };

export type Operation =
  | { readonly does: 'call'; readonly name: CommonSyscall; readonly args: readonly Argument[] }
  /** Keeps the result of the last call. */
  | { readonly does: 'keep'; readonly in: Kept }
  /** Keeps a number. */
  | { readonly does: 'set'; readonly in: Kept; readonly to: number }
  /** Takes a kept value as the result, for the jumps that follow. */
  | { readonly does: 'use'; readonly kept: Kept }
  /** Keeps the 32 or 64 bits at an address. */
  | { readonly does: 'load'; readonly in: Kept; readonly from: number; readonly bits?: 32 | 64 }
  /** Writes 32 bits at an address. */
  | { readonly does: 'store'; readonly at: number; readonly number: number }
  /** Adds the result of the last call to a kept value, or subtracts it. */
  | { readonly does: 'add'; readonly to: Kept }
  | { readonly does: 'subtract'; readonly from: Kept }
  /** Jumps to a label: always, or depending on the result of the last call. */
  | { readonly does: 'jump'; readonly to: string; readonly when?: 'failed' | 'zero' | undefined }
  | { readonly does: 'jump'; readonly to: string; readonly when: 'differs'; readonly than: Kept }
  /** Counts a kept value down, and jumps unless it is zero by then. */
  | { readonly does: 'jump'; readonly to: string; readonly when: 'left'; readonly of: Kept }
  /** Jumps unless the result is this number. */
  | { readonly does: 'jump'; readonly to: string; readonly when: 'is-not'; readonly number: number }
  | { readonly does: 'label'; readonly name: string }
  /** Executes another program in the first environment, with these arguments or its own after the first. */
  | { readonly does: 'become'; readonly path: number; readonly args: number | 'own' };

/** Encodes operations as instructions, with the distance from each jump to its label. */
export function assemble(operations: readonly Operation[], architecture: 'x64' | 'arm64'): Buffer {
  const encode = architecture === 'x64' ? encodeX64 : encodeArm64;
  const places = new Map<string, number>();
  // An instruction's length does not depend on the distance, so the first pass finds the labels.
  for (const pass of ['measure', 'write'] as const) {
    const code: number[] = [];
    for (const operation of operations) {
      if (operation.does === 'label') {
        if (pass === 'measure' && places.has(operation.name))
          throw new Error(`the label ${operation.name} stands twice`);
        places.set(operation.name, code.length);
      }
      const to = operation.does === 'jump' ? places.get(operation.to) : undefined;
      if (pass === 'write' && operation.does === 'jump' && to === undefined)
        throw new Error(`there is no label ${operation.to}`);
      code.push(...encode(operation, code.length, to ?? 0));
    }
    if (pass === 'write') return Buffer.from(code);
  }
  throw new Error('unreachable');
}

/** Kept values are in r12 to r15 and rbx, which calls preserve. A result is in rax. */
function encodeX64(operation: Operation, at: number, to: number): readonly number[] {
  const rax = 0;
  const kept = (register: Kept) => [12, 13, 14, 15, 3][register] ?? 0;
  const constant = (register: number, value: number) => [
    ...(register >= 8 ? [0x41] : []),
    0xb8 + (register & 7),
    ...word(value),
  ];
  /** An instruction on two registers: `target` is changed, or compared. */
  const both = (opcode: number, target: number, source: number) => [
    0x48 + (source >> 3) * 4 + (target >> 3),
    opcode,
    0xc0 + (source & 7) * 8 + (target & 7),
  ];
  const syscall = (name: CommonSyscall) => [...constant(rax, syscallNumber(name, 'x64')), 0x0f, 0x05];
  const jump = (test: readonly number[], opcode: readonly number[]) => {
    const length = test.length + opcode.length + 4;
    return [...test, ...opcode, ...word(to - at - length)];
  };
  switch (operation.does) {
    case 'label':
      return [];
    case 'keep':
      return both(0x89, kept(operation.in), rax);
    case 'set':
      return constant(kept(operation.in), operation.to);
    case 'use':
      return both(0x89, rax, kept(operation.kept));
    case 'add':
      return both(0x01, kept(operation.to), rax);
    case 'subtract':
      return both(0x29, kept(operation.from), rax);
    case 'load': {
      // mov r32, [address], or r64
      const register = kept(operation.in);
      const prefix = (operation.bits === 64 ? 0x48 : 0x40) + (register >> 3) * 4;
      return [prefix, 0x8b, 0x04 + (register & 7) * 8, 0x25, ...word(operation.from)];
    }
    case 'store': // mov dword [address], number
      return [0xc7, 0x04, 0x25, ...word(operation.at), ...word(operation.number)];
    case 'call':
      return [
        // rdi, rsi, rdx, r10, r8, r9
        ...operation.args.flatMap((value, index) => {
          const register = [7, 6, 2, 10, 8, 9][index] ?? 0;
          return typeof value === 'number'
            ? constant(register, value)
            : both(0x89, register, kept(value.kept));
        }),
        ...syscall(operation.name),
      ];
    case 'become':
      return [
        ...constant(7, operation.path),
        // lea rsi, [rsp + 16]: the arguments after our own name
        ...(operation.args === 'own' ? [0x48, 0x8d, 0x74, 0x24, 0x10] : constant(6, operation.args)),
        ...[0x48, 0x8b, 0x0c, 0x24], // mov rcx, [rsp]: the count of our arguments
        ...[0x48, 0x8d, 0x54, 0xcc, 0x10], // lea rdx, [rsp + rcx * 8 + 16]: the environment
        ...syscall('execve'),
      ];
    case 'jump':
      if (operation.when === 'failed') return jump([0x48, 0x85, 0xc0], [0x0f, 0x88]); // test rax, rax; js
      if (operation.when === 'zero') return jump([0x48, 0x85, 0xc0], [0x0f, 0x84]); // jz
      if (operation.when === 'differs') return jump(both(0x39, rax, kept(operation.than)), [0x0f, 0x85]); // cmp; jne
      if (operation.when === 'left') {
        const register = kept(operation.of);
        return jump([0x48 + (register >> 3), 0xff, 0xc8 + (register & 7)], [0x0f, 0x85]); // dec; jnz
      }
      if (operation.when === 'is-not') return jump([0x48, 0x3d, ...word(operation.number)], [0x0f, 0x85]); // cmp; jne
      return jump([], [0xe9]);
  }
}

/** Kept values are in x19 to x23, which calls preserve. A result is in x0. */
function encodeArm64(operation: Operation, at: number, to: number): readonly number[] {
  const kept = (register: Kept) => 19 + register;
  const constant = (register: number, value: number) => [
    0xd2800000 + (value & 0xffff) * 32 + register, // movz
    0xf2a00000 + (value >>> 16) * 32 + register, // movk, shifted by 16
  ];
  const move = (target: number, source: number) => 0xaa0003e0 + source * 0x10000 + target;
  const compare = (a: number, b: number) => 0xeb00001f + b * 0x10000 + a * 32;
  const syscall = (name: CommonSyscall) => [...constant(8, syscallNumber(name, 'arm64')), 0xd4000001];
  /** `before`: instructions between `at` and the jump itself. */
  const way = (before: number, bits: number) => ((to - at) / 4 - before) & (2 ** bits - 1);
  const words = (): readonly number[] => {
    switch (operation.does) {
      case 'label':
        return [];
      case 'keep':
        return [move(kept(operation.in), 0)];
      case 'set':
        return constant(kept(operation.in), operation.to);
      case 'use':
        return [move(0, kept(operation.kept))];
      case 'add':
        return [0x8b000000 + kept(operation.to) * 33]; // add x, x, x0
      case 'subtract':
        return [0xcb000000 + kept(operation.from) * 33]; // sub x, x, x0
      case 'load': {
        const from9 = operation.bits === 64 ? 0xf9400000 : 0xb9400000; // ldr x, [x9], or w
        return [...constant(9, operation.from), from9 + 9 * 32 + kept(operation.in)];
      }
      case 'store': // str w10, [x9]
        return [...constant(9, operation.at), ...constant(10, operation.number), 0xb9000000 + 9 * 32 + 10];
      case 'call':
        return [
          ...operation.args.flatMap((value, index) =>
            typeof value === 'number' ? constant(index, value) : [move(index, kept(value.kept))],
          ),
          ...syscall(operation.name),
        ];
      case 'become':
        return [
          ...constant(0, operation.path),
          // add x1, sp, 16: the arguments after our own name
          ...(operation.args === 'own' ? [0x910043e1] : constant(1, operation.args)),
          0xf94003e9, // ldr x9, [sp]: the count of our arguments
          0x8b296fe2, // add x2, sp, x9, lsl 3
          0x91004042, // add x2, x2, 16: the environment
          ...syscall('execve'),
        ];
      case 'jump':
        if (operation.when === 'failed') return [0xb7f80000 + way(0, 14) * 32]; // tbnz x0, 63
        if (operation.when === 'zero') return [0xb4000000 + way(0, 19) * 32]; // cbz x0
        if (operation.when === 'differs')
          return [compare(0, kept(operation.than)), 0x54000001 + way(1, 19) * 32]; // b.ne
        if (operation.when === 'left')
          return [0xf1000400 + kept(operation.of) * 33, 0x54000001 + way(1, 19) * 32]; // subs x, x, 1; b.ne
        if (operation.when === 'is-not') {
          const { number } = operation;
          // movn: negative in all 64 bits
          const expected = number < 0 ? [0x92800009 + ~number * 32] : constant(9, number);
          return [...expected, compare(0, 9), 0x54000001 + way(expected.length + 1, 19) * 32];
        }
        return [0x14000000 + way(0, 26)];
    }
  };
  return words().flatMap(word);
}

function word(value: number): readonly number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff];
}
