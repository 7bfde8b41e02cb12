import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** With `/` between components. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean | undefined;
}

const utf8Names = 0x0800;
const deflated = 8;
const madeOnUnix = 0x0314;

/** A ZIP archive of files, the same bytes for the same files: it holds no times. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, executable } of entries) {
    const name = Buffer.from(path, 'utf8');
    const packed = deflateRawSync(bytes);
    // Version, flags, method, time, date (1 January 1980), checksum, sizes, length of the name, no extra field.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(utf8Names, 2);
    facts.writeUInt16LE(deflated, 4);
    facts.writeUInt16LE(0x21, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    local.push(Buffer.from('PK\x03\x04', 'latin1'), facts, name, packed);

    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((0o100_000 + (executable ? 0o755 : 0o644)) * 0x1_0000, 6);
    rest.writeUInt32LE(offset, 10);
    const made = Buffer.alloc(2);
    made.writeUInt16LE(madeOnUnix, 0);
    central.push(Buffer.from('PK\x01\x02', 'latin1'), made, facts, rest, name);
    offset += 4 + facts.length + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  if (entries.length > 0xff_ff || offset + directory.length > 0xff_ff_ff_ff) {
    throw new Error('Too much for a ZIP archive without its 64-bit extension.');
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}
