import { decoded } from '../../../ground/decoded.ts';

/** The parts of a text that read like encoded bytes rather than words. */
export interface Encoded {
  /** Characters in all. */
  readonly chars: number;
  readonly longest: number;
  /** Digests and ids of a standard form, which are counted apart. */
  readonly identifiers: number;
  /** The longest part that decodes to a text: nothing random does. */
  readonly textChars: number;
}

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
/** MD5, SHA-1 and SHA-256 in hex. */
const digest = /(?<![A-Za-z\d])(?:[\da-f]{64}|[\da-f]{40}|[\da-f]{32})(?![A-Za-z\d])/g;

/** Searches texts that were decoded from percent encoding. */
export function encodedIn(texts: readonly string[]): Encoded {
  let chars = 0;
  let longest = 0;
  let identifiers = 0;
  let textChars = 0;
  for (const text of texts) {
    const rest = text.replace(uuid, ' ').replace(digest, (found) => {
      identifiers += 1;
      if (isHexText(found)) textChars = Math.max(textChars, found.length);
      return ' ';
    });
    for (const [token] of rest.matchAll(/[\w+/~-]{12,}={0,2}/g)) {
      const length = encodedChars(token);
      chars += length;
      longest = Math.max(longest, length);
      for (const part of token.split('/'))
        if (part.length >= minTextChars && isEncodedText(part)) textChars = Math.max(textChars, part.length);
    }
  }
  return { chars, longest, identifiers, textChars };
}

/** Shorter words decode to a text by chance. */
const minTextChars = 16;

function isEncodedText(token: string): boolean {
  return !/^[\da-z]+(?:[-_][\da-z]+)+$/.test(token) && decoded(token) !== undefined;
}

/** Whether the bytes of a digest or id are a text, which no real one is. */
export function isHexText(hex: string): boolean {
  return /^[\t\n\r\x20-\x7e]+$/.test(Buffer.from(hex, 'hex').toString('latin1'));
}

/** Characters of a token, or of its parts, that are unlike words, versions and dates. */
function encodedChars(token: string): number {
  // Base64 contains slashes; so do paths, whose parts are words.
  const parts = token.split(/[-_~/+=]/);
  const words = parts.flatMap((part) => (part.length < 3 ? [] : (part.match(wordsOf) ?? [])));
  const letters = words.filter((word) => word.length === 1).length;
  if (token.length >= 20 && letters >= 3 && letters * 10 >= token.length) return token.length;
  return parts.filter(isRandom).reduce((sum, part) => sum + part.length, 0);
}

/** Words of a name in camel case. */
const wordsOf = /\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

function isRandom(part: string): boolean {
  const digits = part.replace(/\D/g, '').length;
  if (digits === part.length) return digits >= 24;
  const kinds = Number(digits > 0) + Number(/[a-z]/.test(part)) + Number(/[A-Z]/.test(part));
  if (digits >= 2 && part.length >= 8 && !/^[A-Za-z]+\d+$|^\d+[A-Za-z]+$/.test(part)) return true;
  return part.length >= (lengths[kinds - 1] ?? 0);
}

/** From which length a part of one, two or three kinds of characters is no word, nor words in camel case. */
const lengths = [36, 30, 16];
