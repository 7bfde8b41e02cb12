import { createHash } from 'node:crypto';

/**
 * The digest of what a memory says: case, width, spacing, punctuation, articles and a polite Japanese ending do
 * not count, everything else does. Likeness by shared words would take "the code is 4711" for "the code is 4712"
 * and lose one of them; a digest finds the same saying in constant time, and a unique index keeps it single.
 */
export function gistDigest(content: string): string {
  return createHash('sha256').update(gistOf(content)).digest('base64url');
}

/** The words that are left; the whole text where none are. */
export function gistOf(content: string): string {
  const plain = content.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const gist = plain
    .replace(politeEnding, '')
    .replace(/['’`"“”‘„«»「」『』]/gu, '')
    .replace(sentenceMarks, ' ')
    .split(/\s+/u)
    .filter((word) => word !== '' && !articles.has(word))
    .join(' ');
  return gist === '' ? plain : gist;
}

const articles = new Set(['a', 'an', 'the']);
const politeEnding = /(?:です|だよ|だ|である)(?=[。．.!！\s]*$)/u;
// Not between digits: 1.5 is not 15, and 10:30 not 1030.
const sentenceMarks = /(?<!\p{N})[.,:]|[.,:](?!\p{N})|[!?;、。！？；…]/gu;
