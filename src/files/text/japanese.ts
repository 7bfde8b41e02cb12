type JapaneseEncoding = 'shift_jis' | 'euc-jp';

/**
 * Detects a Japanese encoding if it is certain enough to show the text: every byte must be valid, and the text must be
 * runs of kana, punctuation and common kanji. Other 8-bit texts that are valid by chance decode to rare kanji, or to
 * single ones between Latin letters. For a text without kana, or of a few characters, the result is a guess.
 */
export async function japaneseEncodingOf(
  bytes: Uint8Array,
  isCut: boolean,
): Promise<{ readonly encoding: JapaneseEncoding; readonly isGuess: boolean } | undefined> {
  const sample = bytes.subarray(0, sampleBytes);
  const mayEndEarly = isCut || sample.length < bytes.length;
  const euc = count(sample, eucCharacter, mayEndEarly);
  const sjis = count(sample, sjisCharacter, mayEndEarly);
  // Most EUC-JP is also valid Shift_JIS, as half-width katakana, which therefore count little.
  const [encoding, found] =
    sjis.score > euc.score ? (['shift_jis', sjis] as const) : (['euc-jp', euc] as const);
  if (found.score < confident) return undefined;
  const isGuess = found.foreign < fewCharacters || found.kana * 20 < found.foreign;
  if (found.kana * 20 >= found.foreign) return { encoding, isGuess };
  // Without kana it may be Korean or Chinese, whose common characters have the codes of common kanji.
  const { analyse } = await import('chardet');
  const guesses = new Map(analyse(sample).map(({ name, confidence }) => [name as string, confidence]));
  const own = guesses.get(encoding === 'shift_jis' ? 'Shift_JIS' : 'EUC-JP') ?? 0;
  return others.some((name) => (guesses.get(name) ?? 0) > own) ? undefined : { encoding, isGuess };
}

const sampleBytes = 64 * 1024;
const confident = 0.8;
const fewCharacters = 8;
const others = ['EUC-KR', 'GB18030', 'Big5'];

/** A character's length in bytes, and how typical it is of Japanese. */
interface Character {
  readonly bytes: 1 | 2 | 3;
  readonly kind: 'ascii' | 'kana' | 'common' | 'half-width' | 'rare';
}

/** Scores how well the text fits, from 0 to 1; 0 if a byte is not valid. */
function count(
  bytes: Uint8Array,
  read: (first: number, second: number, third: number) => Character | undefined,
  mayEndEarly: boolean,
): { readonly score: number; readonly kana: number; readonly foreign: number } {
  const seen = { ascii: 0, kana: 0, common: 0, 'half-width': 0, rare: 0 };
  let lone = 0;
  let run = 0;
  for (let at = 0; at < bytes.length; ) {
    const character = read(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
    if (!character) {
      if (mayEndEarly && at + 3 > bytes.length) break;
      return { score: 0, kana: 0, foreign: 0 };
    }
    seen[character.kind]++;
    if (character.kind !== 'ascii') run++;
    else {
      if (run === 1) lone++;
      run = 0;
    }
    at += character.bytes;
  }
  if (run === 1) lone++;
  const foreign = seen.kana + seen.common + seen['half-width'] + seen.rare;
  if (foreign === 0) return { score: 0, kana: 0, foreign };
  // A single character may be Japanese ("100円"), but many single ones are not.
  const fitting = seen.kana + seen.common + seen['half-width'] / 2 - Math.max(0, lone - foreign / 2);
  return { score: fitting / foreign, kana: seen.kana, foreign };
}

const ascii: Character = { bytes: 1, kind: 'ascii' };
const halfWidth: Character = { bytes: 1, kind: 'half-width' };

function eucCharacter(first: number, second: number, third: number): Character | undefined {
  if (first < 0x80) return ascii;
  // Half-width katakana; no other encoding puts this byte before each of them.
  if (first === 0x8e) return isIn(second, 0xa1, 0xdf) ? { bytes: 2, kind: 'common' } : undefined;
  if (first === 0x8f) return isEuc(second) && isEuc(third) ? { bytes: 3, kind: 'rare' } : undefined;
  if (!isEuc(first) || !isEuc(second)) return undefined;
  if (first === 0xa4 || first === 0xa5) return { bytes: 2, kind: 'kana' };
  const isCommon = first === 0xa1 || first === 0xa3 || isIn(first, 0xb0, 0xcf);
  return { bytes: 2, kind: isCommon ? 'common' : 'rare' };
}

function sjisCharacter(first: number, second: number): Character | undefined {
  if (first < 0x80) return ascii;
  if (isIn(first, 0xa1, 0xdf)) return halfWidth;
  if (!isIn(first, 0x81, 0x9f) && !isIn(first, 0xe0, 0xfc)) return undefined;
  if (!isIn(second, 0x40, 0xfc) || second === 0x7f) return undefined;
  if ((first === 0x82 && second >= 0x9f) || (first === 0x83 && second <= 0x96))
    return { bytes: 2, kind: 'kana' };
  const isCommon =
    first === 0x81 || first === 0x82 || isIn(first, 0x88, 0x97) || (first === 0x98 && second <= 0x72);
  return { bytes: 2, kind: isCommon ? 'common' : 'rare' };
}

function isEuc(byte: number): boolean {
  return isIn(byte, 0xa1, 0xfe);
}

function isIn(byte: number, from: number, to: number): boolean {
  return byte >= from && byte <= to;
}
