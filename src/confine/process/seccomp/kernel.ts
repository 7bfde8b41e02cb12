/** A raw system call: numbers in, what libc returns out (-1 for a refusal). */
export type Syscall = (number: number, ...args: (number | Uint8Array | null)[]) => number;

/** System calls and memory, for which Node has no functions. */
export interface Kernel {
  readonly syscall: Syscall;
  /** Where a buffer lies, for a structure that points to it. The buffer must be kept until the call is over. */
  addressOf(buffer: Uint8Array): bigint;
  /** Why the call before was refused. */
  errno(): number;
}

/** Throws where koffi is missing. */
export async function openKernel(): Promise<Kernel> {
  const { load, address, errno } = await import('koffi');
  const libc = load(null);
  // One signature for numbers and one for each place where a buffer goes: koffi checks types.
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
