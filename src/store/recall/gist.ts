import { createHash } from 'node:crypto';

/**
 * The digest of a memory's content, ignoring only a final full stop and a polite Japanese ending. Case, spacing and
 * quotes can matter (`feature/ABC`), and similarity by shared words would merge "the code is 4711" with "the code is
 * 4712" and lose one. A unique index prevents duplicates. The prefix separates these digests from those of earlier
 * versions, which ignored more.
 */
export function gistDigest(content: string): string {
  return createHash('sha256')
    .update(`2\n${gistOf(content)}`)
    .digest('base64url');
}

/** The text without its ending; the whole text if nothing else is left. */
export function gistOf(content: string): string {
  const plain = content.normalize('NFC').trim();
  const gist = plain.replace(/(?:です|だよ|だ|である)?[。．.]?$/u, '').trimEnd();
  return gist === '' ? plain : gist;
}
