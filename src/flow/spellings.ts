import { Buffer } from 'node:buffer';

const radio =
  'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu'.split(
    ' ',
  );
const a = 97;

/**
 * How else a value may have stood in a text that hides it: a short list of what a model reads as easily. It is made of
 * the value that is about to be sent, so that what was read need not be guessed at.
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
