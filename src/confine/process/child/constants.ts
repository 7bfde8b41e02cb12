import { Buffer } from 'node:buffer';
import { addressIn } from './static-program.ts';

/** The constants that a program's calls point to. Each has its address once it is put, in steps of eight bytes. */
export function createConstants() {
  const parts: Buffer[] = [];
  let length = 0;
  const put = (bytes: Buffer) => {
    const at = length;
    const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8);
    bytes.copy(padded);
    parts.push(padded);
    length += padded.length;
    return addressIn(at);
  };
  return {
    put,
    putText: (words: string) => put(Buffer.from(`${words}\0`)),
    bytes: () => Buffer.concat(parts),
  };
}
