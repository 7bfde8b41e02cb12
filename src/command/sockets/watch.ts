import { closeOnExec } from '../../ground/machine/syscalls.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** Waits for many descriptors at once by epoll. Threads may add to it while another waits. */
export type Watch = ReturnType<typeof createWatch>;

export interface Happening {
  readonly fd: number;
  readonly beside: number | undefined;
  /** False: the other end is closed. */
  readonly isReadable: boolean;
}

/** Opens a watch, or uses one that another thread opened. */
export function createWatch({ syscall, errno }: Kernel, opened?: number) {
  const x64 = process.arch === 'x64';
  const fd = opened ?? syscall(x64 ? 291 : 20, closeOnExec);
  if (fd < 0) throw new Error('epoll_create1 was refused');
  // struct epoll_event is packed only on x86-64.
  const [eventBytes, dataAt] = x64 ? [12, 4] : [16, 8];
  const control = (operation: number, target: number, event: Buffer | null) =>
    syscall(x64 ? 233 : 21, fd, operation, target, event);
  const events = Buffer.alloc(maxEvents * eventBytes);
  return {
    fd,
    /** `beside` is returned with its events. */
    add(target: number, beside: number = none) {
      const event = Buffer.alloc(eventBytes);
      event.writeUInt32LE(readable, 0);
      event.writeInt32LE(target, dataAt);
      event.writeInt32LE(beside, dataAt + 4);
      if (control(1, target, event) !== 0) throw new Error('epoll_ctl was refused');
    },
    remove(target: number) {
      control(2, target, null);
    },
    /** The descriptors with events; empty after the timeout. */
    wait(ms: number): readonly Happening[] {
      const count = syscall(x64 ? 281 : 22, fd, events, maxEvents, ms, 0, 8);
      if (count < 0 && errno() !== interrupted) throw new Error('epoll_pwait was refused');
      return Array.from({ length: Math.max(count, 0) }, (_, index) => {
        const at = index * eventBytes;
        const beside = events.readInt32LE(at + dataAt + 4);
        return {
          fd: events.readInt32LE(at + dataAt),
          beside: beside === none ? undefined : beside,
          isReadable: (events.readUInt32LE(at) & readable) !== 0,
        };
      });
    },
  };
}

const readable = 1;
const none = -1;
const maxEvents = 64;
const interrupted = 4;
