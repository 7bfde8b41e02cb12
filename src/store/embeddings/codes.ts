/** A vector as stored: one signed byte per dimension. Its length is lost, which a cosine does not need. */
export function packVector(vector: Float32Array): Uint8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const bytes = Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
  return new Uint8Array(bytes.buffer);
}

/** The signs of a vector's first dimensions, one bit each, in whole 32-bit words. */
export function codeOf(vector: Float32Array): Uint8Array {
  const code = new Uint8Array(codeBytes(vector.length));
  const bits = Math.min(vector.length, codeBits);
  for (let at = 0; at < bits; at += 1) {
    if ((vector[at] ?? 0) > 0) code[at >> 3] = (code[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return code;
}

/** The size of a vector's code in bytes. */
export function codeBytes(dimensions: number): number {
  return Math.ceil(Math.min(dimensions, codeBits) / 32) * 4;
}

/** The cosine of a vector and a packed one: 1 is the same direction, 0 has nothing in common. */
export function cosine(vector: Float32Array, packed: Uint8Array): number {
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength);
  let dot = 0;
  let square = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    dot += byte * (vector[at] as number);
    square += byte * byte;
  }
  return square === 0 ? 0 : dot / Math.sqrt(square);
}

/** 128 bytes per memory; more bits find little more and cost memory for each. */
const codeBits = 1024;
