import { createHash } from 'node:crypto';
import type { Memory } from '../../contract/capabilities/memory.ts';
import { fold } from '../recall/fold.ts';
import { wordsOfMemory } from '../recall/terms.ts';

/** The columns that derive from a memory's content. */
export function memoryColumns(said: Pick<Memory, 'content' | 'category' | 'tags'>) {
  const content = clean(said.content);
  const category = clean(said.category);
  const tags = said.tags.map(clean);
  const words = wordsOfMemory({ content, category, tags });
  return {
    words,
    columns: {
      content,
      category,
      tags: JSON.stringify(tags),
      gist: gistDigest(content),
      category_key: fold(category),
      tags_key: `\n${tags.map(fold).join('\n')}\n`,
      words: words.join(' '),
    },
  };
}

/** Removes control characters other than line feed and tab, because stored text is shown again, in terminals too. */
function clean(words: string): string {
  return words
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/**
 * The digest of a memory's content, ignoring only a final full stop and a polite Japanese ending. Case, spacing and
 * quotes can matter (`feature/ABC`), and similarity by shared words would merge "the code is 4711" with "the code is
 * 4712" and lose one. A unique index prevents duplicates. The prefix separates these digests from those of earlier
 * versions, which ignored more.
 */
function gistDigest(content: string): string {
  return createHash('sha256')
    .update(`2\n${gistOf(content)}`)
    .digest('base64url');
}

/**
 * The text without its ending; the whole text if nothing else is left. A stop after anything but a word may be part of
 * a pattern or an address, and だ after hiragana of a word.
 */
export function gistOf(content: string): string {
  const plain = content.normalize('NFC').trim();
  const spoken = plain.replace(/[。．]$|(?<=(?:^|[\s、])[\p{L}\p{M}'’-]+)\.$/u, '');
  const gist = spoken.replace(/(?:です|である|(?<!\p{Script=Hiragana})だよ?)$/u, '').trimEnd();
  return gist === '' ? plain : gist;
}
