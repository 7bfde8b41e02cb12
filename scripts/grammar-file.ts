import { Buffer } from 'node:buffer';

/**
 * Older grammars say how much memory they need in a section `dylink`; today's loader wants the same four numbers in
 * `dylink.0`. Returns the module with that section written anew, or as it is where it is new already.
 */
export function modernizeGrammar(module: Buffer): Buffer {
  const headerBytes = 8;
  if (module[headerBytes] !== 0) return module;
  const section = readNumber(module, headerBytes + 1);
  const nameLength = readNumber(module, section.end);
  const nameEnd = nameLength.end + nameLength.value;
  if (module.toString('latin1', nameLength.end, nameEnd) !== 'dylink') return module;
  let end = nameEnd;
  for (let numbers = 0; numbers < 4; numbers++) end = readNumber(module, end).end;
  const memory = module.subarray(nameEnd, end);
  const name = Buffer.from('dylink.0');
  const payload = Buffer.concat([Buffer.from([name.length]), name, Buffer.from([1, memory.length]), memory]);
  return Buffer.concat([
    module.subarray(0, headerBytes),
    Buffer.from([0, payload.length]),
    payload,
    module.subarray(section.end + section.value),
  ]);
}

/** An unsigned LEB128 number. */
function readNumber(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, shift = 0; shift < 35; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) === 0) return { value, end: at + 1 };
  }
  throw new Error('a number in a grammar file does not end');
}
