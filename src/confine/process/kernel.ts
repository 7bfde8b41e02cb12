/** A raw system call: numbers in, what libc returns out (-1 for a refusal). */
export type Syscall = (number: number, ...args: (number | Uint8Array | null)[]) => number;

/** System calls that Node has no words for. Throws where koffi is missing. */
export async function openKernel(): Promise<Syscall> {
  const { load } = await import('koffi');
  const libc = load(null);
  // One signature for numbers and one for each place where a buffer goes: koffi checks types.
  const forms = new Map<string, (...args: unknown[]) => number>();
  return (number, ...args) => {
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
}
