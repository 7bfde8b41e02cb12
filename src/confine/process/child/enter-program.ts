import { Buffer } from 'node:buffer';
import { compileProgram, type Step } from './static-program.ts';

/** Descriptors that the program finds open, beside the three streams. */
export interface EnterDescriptors {
  /** The program itself. */
  readonly self: number;
  /** Namespaces, that of users first: it gives the right to enter the others. */
  readonly namespaces: readonly number[];
}

/** A program that enters namespaces, closes what it was given and becomes the program at `path`, with its arguments. */
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
