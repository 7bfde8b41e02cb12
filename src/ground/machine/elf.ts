/** A program for `linkProgram`. */
export interface Program {
  readonly code: Buffer;
  /** Constants, which it may read. */
  readonly data: Buffer;
  /** Size of the zeroed memory at `writable`, which it may write. */
  readonly writableBytes: number;
}

/** The address at which the file is loaded. */
const base = 0x400000;
const headBytes = 64 + 2 * 56;
const dataOffset = 0x4000;

/** The address of the program's writable memory. */
export const writable = 0x10000000;

/** The address in memory of a byte of `Program.data`. */
export function addressIn(offset: number): number {
  return base + dataOffset + offset;
}

/** Collects the constants that a program refers to. `put` returns a constant's address, a multiple of eight. */
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

/** An executable file (ELF64, elf(5)): a segment to read and execute, one of zeros to write. Throws if too long. */
export function linkProgram({ code, data, writableBytes }: Program, architecture: 'x64' | 'arm64'): Buffer {
  if (headBytes + code.length > dataOffset) throw new Error('the program has too many steps');
  const file = Buffer.alloc(dataOffset + data.length);
  file.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  file.writeUInt16LE(2, 16); // an executable
  file.writeUInt16LE(architecture === 'x64' ? 62 : 183, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(base + headBytes), 24); // its first instruction
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(writableBytes > 0 ? 2 : 1, 56);
  segment(file, 64, { flags: 5, address: base, fileBytes: file.length, bytes: file.length });
  if (writableBytes > 0)
    segment(file, 120, { flags: 6, address: writable, fileBytes: 0, bytes: writableBytes });
  code.copy(file, headBytes);
  data.copy(file, dataOffset);
  return file;
}

function segment(
  file: Buffer,
  at: number,
  { flags, address, fileBytes, bytes }: { flags: number; address: number; fileBytes: number; bytes: number },
): void {
  file.writeUInt32LE(1, at); // PT_LOAD
  file.writeUInt32LE(flags, at + 4);
  file.writeBigUInt64LE(BigInt(address), at + 16);
  file.writeBigUInt64LE(BigInt(address), at + 24);
  file.writeBigUInt64LE(BigInt(fileBytes), at + 32);
  file.writeBigUInt64LE(BigInt(bytes), at + 40);
  file.writeBigUInt64LE(0x10000n, at + 48);
}
