/** A raw system call: takes numbers, and returns libc's result (-1 on failure). */
export type Syscall = (number: number, ...args: (number | Uint8Array | null)[]) => number;

/** System calls and memory addresses, which Node does not offer. */
export interface Kernel {
  readonly syscall: Syscall;
  /** The address of a buffer, for a structure that points to it. The buffer must live until the call is over. */
  addressOf(buffer: Uint8Array): bigint;
  /** The error number of the last call. */
  errno(): number;
}

/** Throws without koffi. */
export async function openKernel(): Promise<Kernel> {
  const { load, address, errno } = await import('koffi');
  const libc = load(null);
  // One signature for each position of buffers, because koffi checks types.
  const forms = new Map<string, (...args: unknown[]) => number>();
  const syscall: Syscall = (number, ...args) => {
    const kinds = Array.from({ length: 6 }, (_, index) =>
      args[index] instanceof Uint8Array ? 'uint8_t *' : 'long',
    );
    const form = kinds.join(', ');
    let call = forms.get(form);
    if (!call) {
      call = libc.func(`long syscall(long, ${form})`) as (...args: unknown[]) => number;
      forms.set(form, call);
    }
    return Number(call(number, ...kinds.map((_, index) => args[index] ?? 0)));
  };
  return { syscall, addressOf: (buffer) => address(buffer), errno: () => errno() };
}
