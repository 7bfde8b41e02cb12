/** A field's number and type: a scalar or another message. Arrays repeat the field. */
type Field = readonly [number: number, kind: Scalar | (() => Message)];
type Scalar = 'string' | 'hex' | 'bool' | 'enum' | 'int64' | 'double' | 'fixed32' | 'fixed64';
export type Message = Readonly<Record<string, Field>>;

/** Encodes an object as a message: the part of Protocol Buffers that OTLP needs. Unknown members are left out. */
export function encodeProtobuf(message: Message, value: object): Buffer {
  const parts: Uint8Array[] = [];
  for (const [name, member] of Object.entries(value)) {
    const field = message[name];
    if (!field || member === undefined) continue;
    for (const one of Array.isArray(member) ? member : [member]) parts.push(...encodeField(field, one));
  }
  return Buffer.concat(parts);
}

function encodeField([number, kind]: Field, value: unknown): readonly Uint8Array[] {
  const tag = (wire: number) => varint(BigInt(number * 8 + wire));
  if (typeof kind === 'function') return measured(tag(2), encodeProtobuf(kind(), value as object));
  switch (kind) {
    case 'string':
      return measured(tag(2), Buffer.from(String(value)));
    case 'hex':
      return measured(tag(2), Buffer.from(String(value), 'hex'));
    case 'bool':
      return [tag(0), varint(value === true ? 1n : 0n)];
    case 'enum':
    case 'int64':
      return [tag(0), varint(BigInt(value as number))];
    case 'double':
      return [tag(1), fixed(8, (bytes) => bytes.writeDoubleLE(Number(value)))];
    case 'fixed32':
      return [tag(5), fixed(4, (bytes) => bytes.writeUInt32LE(Number(value)))];
    case 'fixed64':
      return [tag(1), fixed(8, (bytes) => bytes.writeBigUInt64LE(BigInt(value as string)))];
  }
}

function measured(tag: Uint8Array, bytes: Uint8Array): readonly Uint8Array[] {
  return [tag, varint(BigInt(bytes.length)), bytes];
}

/** Seven bits per byte, lowest first; negative values as 64 bits. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function fixed(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
}
