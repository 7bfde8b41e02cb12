import { createHash } from 'node:crypto';

/**
 * The digest of what a memory says: a final full stop and a polite Japanese ending do not count, everything else does.
 * Case, spacing and quotes can be what a memory is about (`feature/ABC`), and likeness by shared words would take "the
 * code is 4711" for "the code is 4712" and lose one of them. A unique index keeps a saying single. The prefix sets these
 * digests apart from those of earlier versions, which ignored more.
 */
export function gistDigest(content: string): string {
  return createHash('sha256')
    .update(`2\n${gistOf(content)}`)
    .digest('base64url');
}

/** The text without its ending; the whole text where nothing else is in it. */
export function gistOf(content: string): string {
  const plain = content.normalize('NFC').trim();
  const gist = plain.replace(/(?:です|だよ|だ|である)?[。．.]?$/u, '').trimEnd();
  return gist === '' ? plain : gist;
}
