import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { compileRelay, type Listened, type RelayDescriptors } from '../../network/proxy/relay-program.ts';
import { makePipe } from '../output/os-pipe.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { openMemoryProgram } from './memory-program.ts';
import { makeSocketPair, receiveDescriptor } from './passed-descriptors.ts';

/** Gets listening sockets out of a sandbox whose own network has no connection to the outside. */
export type Relay = ReturnType<typeof openRelay>;

export interface Landing {
  /** Descriptors for the child, from 4 on. */
  readonly childEnds: readonly number[];
  /** Resolves with a listening socket for each address, in order, once they have been sent. Rejects if none will come. */
  readonly listeners: Promise<readonly number[]>;
  /** Closes the child's ends after the start or its failure. */
  close(): void;
}

/** After the streams and the filter for bubblewrap. */
const firstDescriptor = 4;
const descriptors: RelayDescriptors = {
  self: firstDescriptor,
  listeners: firstDescriptor + 1,
  ready: firstDescriptor + 2,
};

/** Runs the relay in the sandbox, followed by the command's words. It is a file without a name. */
export const relayProgram = `/proc/self/fd/${firstDescriptor}`;

/** Throws if the kernel does not allow it. */
export function openRelay(kernel: Kernel, listened: readonly Listened[]) {
  const program = openMemoryProgram(kernel, compileRelay(listened, descriptors));
  return {
    /** It listens on ports for which the kernel asks a right. */
    needsRight: listened.some(({ port }) => port !== undefined && port < 1024),
    /** Opens the sockets for one start. */
    open: (): Landing => openLanding(kernel, program, listened.length),
    close: () => closeSync(program),
  };
}

function openLanding(kernel: Kernel, program: number, count: number): Landing {
  const opened: number[] = [];
  try {
    const self = openSync(`/proc/self/fd/${program}`, 'r');
    opened.push(self);
    const [ours, theirs] = makeSocketPair(kernel);
    opened.push(ours, theirs);
    const ready = makePipe(kernel);
    opened.push(ready.read, ready.write);
    const childEnds = [self, theirs, ready.write];
    const listeners = waitForByte(ready.read)
      .then(() => receive(kernel, ours, count))
      .finally(() => closeSync(ours));
    // If the child could not be started, nothing awaits this promise.
    listeners.catch(() => {});
    return {
      childEnds,
      close() {
        for (const fd of childEnds) closeSync(fd);
      },
      listeners,
    };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  }
}

/** The pipe ends without a byte if the relay, or the program that should start it, is gone. */
function waitForByte(fd: number): Promise<void> {
  const pipe = new Socket({ fd, readable: true, writable: false });
  return new Promise<void>((resolve, reject) => {
    pipe.once('data', () => resolve());
    pipe.once('close', () => reject(new Error('the relay ended before it listened')));
    pipe.on('error', () => {});
  }).finally(() => pipe.destroy());
}

/** All messages have arrived: the byte was written after them. */
function receive(kernel: Kernel, socket: number, count: number): readonly number[] {
  const received: number[] = [];
  try {
    for (let index = 0; index < count; index++) received.push(receiveDescriptor(kernel, socket));
    return received;
  } catch (error) {
    for (const fd of received) closeSync(fd);
    throw error;
  }
}
