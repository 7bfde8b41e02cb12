import { createRequire } from 'node:module';
import { type CommonSyscall, syscallNumber, thisProcessor } from '../../ground/machine/syscalls.ts';

/** A raw system call, by its name or number: takes numbers, and returns libc's result (-1 on failure). */
export type Syscall = (named: CommonSyscall | number, ...args: (number | Uint8Array | null)[]) => number;

/** System calls and memory addresses, which Node does not offer. */
export type Kernel = Awaited<ReturnType<typeof openKernel>>;

/** Throws without koffi, and on a processor whose calls are not known. */
export async function openKernel() {
  thisProcessor();
  const { load, address, errno } = await openKoffi();
  const libc = load(null);
  // One signature for each set of positions of buffers, a bit a position, because koffi checks types.
  const forms: ((...args: unknown[]) => number)[] = [];
  const syscall: Syscall = (named, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0) => {
    const buffers = bit(a, 1) | bit(b, 2) | bit(c, 4) | bit(d, 8) | bit(e, 16) | bit(f, 32);
    let call = forms[buffers];
    if (!call) {
      const kinds = Array.from({ length: 6 }, (_, at) => (buffers & (1 << at) ? 'uint8_t *' : 'long'));
      call = libc.func(`long syscall(long, ${kinds.join(', ')})`) as (...args: unknown[]) => number;
      forms[buffers] = call;
    }
    const number = typeof named === 'string' ? syscallNumber(named) : named;
    return Number(call(number, a ?? 0, b ?? 0, c ?? 0, d ?? 0, e ?? 0, f ?? 0));
  };
  return {
    syscall,
    /** The address of a buffer, for a structure that points to it. The buffer must live until the call is over. */
    addressOf: (buffer: Uint8Array): bigint => address(buffer),
    /** The error number of the last call. */
    errno: (): number => errno(),
  };
}

/** Gives back memory that the allocator keeps: V8 takes 20 MB to compile a hot function. Needs koffi and glibc. */
export async function trimAllocator(): Promise<void> {
  try {
    const { load } = await openKoffi();
    load(null).func('int malloc_trim(size_t)')(0);
  } catch {
    // The memory stays.
  }
}

/** koffi takes 8 ms to find its own binary, for which the first client of a shared server would wait. */
async function openKoffi(): Promise<Pick<typeof import('koffi'), 'load' | 'address' | 'errno'>> {
  const { arch } = process;
  try {
    return createRequire(import.meta.url)(`@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`);
  } catch {
    // Another system or libc, or it lies elsewhere.
    return import('koffi');
  }
}

function bit(arg: number | Uint8Array | null, value: number): number {
  return typeof arg === 'object' && arg !== null ? value : 0;
}
