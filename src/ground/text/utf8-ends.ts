/** The length of the whole characters in a UTF-8 text that was cut anywhere, by its last bytes. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The number of bytes from there that continue a character. */
export function continued(bytes: Uint8Array, from = 0): number {
  let count = 0;
  while (count < 3 && ((bytes[from + count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}
