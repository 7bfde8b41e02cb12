import { Buffer } from 'node:buffer';

const radio =
  'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu'.split(
    ' ',
  );
const a = 97;

/**
 * Encodings in which a value may have been hidden in a text: a short list of those that models read easily. Derived
 * from the value about to be sent, so that read text need not be decoded.
 */
export function spellings(value: string): readonly string[] {
  const letters = [...value];
  const small = value.toLowerCase();
  const thrice = (text: string) => [1, 2, 3].reduce((inner) => Buffer.from(inner).toString('base64'), text);
  return [
    letters.toReversed().join(''),
    small.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - a + 13) % 26) + a)),
    letters.filter((letter) => letter !== ' ').join(' '),
    [...small].map((letter) => radio[letter.charCodeAt(0) - a] ?? letter).join(' '),
    letters.map((letter) => `&#${letter.codePointAt(0)};`).join(''),
    letters.map((letter) => `&#x${letter.codePointAt(0)?.toString(16)};`).join(''),
    thrice(value),
  ];
}
