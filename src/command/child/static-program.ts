import type { Buffer } from 'node:buffer';
import { assemble, type Operation } from '../../ground/assemble.ts';
import { addressIn, linkProgram } from '../../ground/elf.ts';
import type { CommonSyscall } from '../../ground/syscalls.ts';

export interface Step {
  readonly call: CommonSyscall;
  readonly args: readonly number[];
  readonly mayFail?: boolean;
}

/**
 * Assembles an ELF program of a few hundred bytes: system calls with constants. At the end it becomes the program whose
 * path is at the start of the constants, with its own arguments after the first. The first failed call ends it. A
 * language runtime in its place would slow the start of each command.
 */
export function compileProgram(steps: readonly Step[], data: Buffer, architecture: 'x64' | 'arm64'): Buffer {
  const next: Operation = { does: 'become', path: addressIn(0), args: 'own' };
  const code = assemble([...steps.flatMap(operationsOf), next, ...ending], architecture);
  return linkProgram({ code, data, writableBytes: 0 }, architecture);
}

const ending: readonly Operation[] = [
  { does: 'label', name: 'failed' },
  { does: 'call', name: 'exit', args: [126] },
];

function operationsOf({ call, args, mayFail }: Step): readonly Operation[] {
  const made: Operation = { does: 'call', name: call, args };
  return mayFail ? [made] : [made, { does: 'jump', to: 'failed', when: 'failed' }];
}
