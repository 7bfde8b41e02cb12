import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { createCodeFences } from './code-fences.ts';
import { createLinkResolver, type Link, linksIn, mayHoldLink } from './links.ts';
import { notSearched, piecesOf } from './note-lines.ts';
import { jaNotePath, notePath, readNotePart } from './parts.ts';
import { noteAt } from './rules.ts';
import { createPauses, walkNotes } from './walk-notes.ts';

const maxLinks = 500;
export const vaultLinks = defineTool({
  name: 'vault_links',
  title: text('Links of a note', 'ノートのリンク'),
  description: text(
    'Links from a note to other notes ([[wiki]] and Markdown), and the notes that link to it. No path: nothing there yet.',
    'ノートから他のノートへのリンク ([[wiki]] と Markdown) と、そのノートへのリンク元。path のないリンクの先には、まだノートがありません。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['vault'],
  input: z.object({ path: notePath }),
  output: z.object({
    outgoing: z.array(z.object({ line: z.int(), link: z.string(), path: z.string().optional() })),
    backlinks: z.array(z.object({ path: z.string(), line: z.int(), link: z.string() })),
    truncated: z.literal(true).optional(),
    not_searched: notSearched,
  }),
  ja: { path: jaNotePath, not_searched: 'UTF-8 テキストでないため調べていないノート。' },
  example: { path: 'ideas/house.md' },
  risk: ({ path }, { vault }) => ({ reads: [noteAt(vault, path).path] }),

  async run({ path }, { vault, signal, progress }) {
    const place = noteAt(vault, path);
    // Reports errors of the note itself, which the walk below would pass over.
    await readNotePart(vault, place, { argument: 'range', startLine: 1, charOffset: 0, maxChars: 1, signal });
    const notes = await allFiles(vault, signal);
    const resolver = createLinkResolver(notes.map((note) => note.path));
    const giveWay = createPauses(signal);

    const outgoing: { line: number; link: string; path?: string }[] = [];
    for await (const link of linksOf(vault, place, signal)) {
      if (outgoing.length > maxLinks) break;
      const to = resolver.resolve(link, place.path);
      outgoing.push({ line: link.line, link: link.written, ...(to !== undefined && { path: to }) });
    }

    const unread: string[] = [];
    const backlinks: { path: string; line: number; link: string }[] = [];
    for (const [index, note] of notes.entries()) {
      if (backlinks.length > maxLinks) break;
      await giveWay();
      if (index % 500 === 499) progress(index + 1, notes.length);
      if (note.path === place.path) continue;
      for await (const link of linksOf(vault, note, signal, () => unread.push(note.path))) {
        await giveWay();
        if (resolver.resolve(link, note.path) !== place.path) continue;
        backlinks.push({ path: note.path, line: link.line, link: link.written });
        if (backlinks.length > maxLinks) break;
      }
    }
    const truncated = outgoing.length > maxLinks || backlinks.length > maxLinks;
    return {
      outgoing: outgoing.slice(0, maxLinks),
      backlinks: backlinks.slice(0, maxLinks),
      ...(truncated && { truncated: true as const }),
      ...(unread.length > 0 && { not_searched: { count: unread.length, paths: unread.slice(0, 20) } }),
    };
  },
});

async function allFiles(vault: Vault, signal: AbortSignal): Promise<readonly Place[]> {
  const places: Place[] = [];
  const root = vault.folder.at('.');
  for await (const { kind, place } of walkNotes(vault.folder, root, { recursive: true, signal })) {
    if (kind === 'file') places.push(place);
  }
  return places;
}

/** Links outside fenced code. */
async function* linksOf(
  vault: Vault,
  place: Place,
  signal: AbortSignal,
  onUnread?: () => void,
): AsyncGenerator<Link> {
  const isFenced = createCodeFences();
  for await (const { firstLine, text: words, isAll } of piecesOf(vault, place, signal, onUnread)) {
    // Fences matter only near links, or if a later piece has some.
    if (isAll && !mayHoldLink(words)) continue;
    const prose = words.split('\n').map((line) => (isFenced(line) ? '' : line));
    yield* linksIn(prose, firstLine);
  }
}
