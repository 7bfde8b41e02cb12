/** The encoding that a label means (`latin1`, `cp932`, …), as the WHATWG Encoding Standard names it; UTF-16 and those with states have none. */
export function encodingNamed(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(
      label
        .trim()
        .toLowerCase()
        .replace(/^cp(\d)/, 'windows-$1'),
    );
    return /^(?:utf-16|iso-2022|replacement|x-user)/.test(encoding) ? undefined : encoding;
  } catch {
    return label === 'cp932' ? 'shift_jis' : label === 'cp949' ? 'euc-kr' : undefined;
  }
}

/** How many bytes the character has that begins here, in an encoding in which characters of ASCII are themselves. */
export function legacyWidth(bytes: ArrayLike<number>, at: number, encoding: string): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  switch (encoding) {
    case 'shift_jis':
      return (lead >= 0x81 && lead <= 0x9f) || (lead >= 0xe0 && lead <= 0xfc) ? 2 : 1;
    case 'euc-jp':
      return lead === 0x8f ? 3 : 2;
    case 'gbk':
    case 'gb18030': {
      const second = bytes[at + 1] ?? 0;
      return lead === 0x80 || lead === 0xff ? 1 : second >= 0x30 && second <= 0x39 ? 4 : 2;
    }
    case 'euc-kr':
    case 'big5':
      return lead === 0x80 || lead === 0xff ? 1 : 2;
    default:
      return 1;
  }
}

/** The bytes of a text; undefined where the encoding has no place for one of its characters. */
export function encodeLegacy(words: string, encoding: string): Uint8Array | undefined {
  if (words === '') return new Uint8Array();
  const codes = codesOf(encoding);
  const bytes: number[] = [];
  for (const character of words) {
    const code = codes.get(character);
    if (code === undefined) return undefined;
    bytes.push(...code);
  }
  return Uint8Array.from(bytes);
}

/** What each character is written as: the decoder is asked for every code, in some milliseconds. */
function codesOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const all = sequences(encoding);
  const decoded = new TextDecoder(encoding, { ignoreBOM: true }).decode(
    Uint8Array.from(all.flatMap((sequence) => [...sequence, newline])),
  );
  const codes = new Map<string, readonly number[]>([['\n', [newline]]]);
  for (const [index, character] of decoded.split('\n').entries()) {
    const sequence = all[index];
    const isOne =
      character.length === ((character.codePointAt(0) ?? 0) > 0xffff ? 2 : 1) && character !== '\ufffd';
    // Of two codes for a character the first is meant.
    if (sequence && isOne && !codes.has(character)) codes.set(character, sequence);
  }
  return codes;
}

function sequences(encoding: string): readonly (readonly number[])[] {
  const all: number[][] = [];
  for (let byte = 0; byte <= 0xff; byte++) {
    if (byte !== newline && legacyWidth([byte], 0, encoding) === 1) all.push([byte]);
  }
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    // Doubles of other codes, which the standard reads and never writes.
    const isDouble = encoding === 'shift_jis' && (lead === 0xed || lead === 0xee);
    if (isDouble || legacyWidth([lead, 0x81], 0, encoding) !== 2) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) all.push([lead, trail]);
  }
  if (encoding !== 'euc-jp') return all;
  for (let second = 0xa1; second <= 0xfe; second++)
    for (let third = 0xa1; third <= 0xfe; third++) all.push([0x8f, second, third]);
  return all;
}

const newline = 0x0a;
