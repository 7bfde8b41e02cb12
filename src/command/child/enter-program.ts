import { Buffer } from 'node:buffer';
import { compileProgram, type Step } from './static-program.ts';

/** Descriptors of the program, besides the three streams. */
export interface EnterDescriptors {
  /** The program itself. */
  readonly self: number;
  /** Namespaces, the user namespace first: it gives the right to enter the others. */
  readonly namespaces: readonly number[];
}

/** A program that enters namespaces, closes these descriptors and becomes the program at `path`, with its arguments. */
export function compileEnter(
  path: string,
  { self, namespaces }: EnterDescriptors,
  architecture: 'x64' | 'arm64',
): Buffer {
  const steps = [
    ...namespaces.map((fd): Step => ({ call: 'setns', args: [fd, 0] })),
    ...[self, ...namespaces].map((fd): Step => ({ call: 'close', args: [fd] })),
  ];
  return compileProgram(steps, Buffer.from(`${path}\0`), architecture);
}
