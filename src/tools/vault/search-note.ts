import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { createCodeFences } from './code-fences.ts';
import { piecesOf } from './note-lines.ts';
import { type LineView, type Query, viewsOf, wordsOf } from './query.ts';

export const match = z.object({
  path: z.string(),
  line: z.int(),
  text: z.string(),
  /** The nearest lines with words around it, if any. */
  before: z.string().optional(),
  after: z.string().optional(),
});

type Match = z.output<typeof match>;

/**
 * The lines of a note that match a query, if the note as a whole meets all of it: the lines that meet every condition,
 * or else those that meet any. At most `limit` after line `afterLine`.
 */
export async function searchNote(
  vault: Vault,
  place: Place,
  query: Query,
  options: {
    readonly afterLine: number;
    readonly limit: number;
    readonly signal: AbortSignal;
    readonly giveWay: () => Promise<void>;
    readonly onUnread: () => void;
  },
): Promise<readonly Match[]> {
  const { conditions } = query;
  const met = conditions.map(() => false);
  const whole: Match[] = [];
  const some: Match[] = [];
  let anyWhole = false;
  const isFenced = createCodeFences();
  for await (const { firstLine, text, isAll } of piecesOf(vault, place, options.signal, options.onUnread)) {
    await options.giveWay();
    const words = wordsOf(text);
    const may = conditions.map((condition) => condition.mayBeIn(words));
    if (isAll && may.includes(false)) return [];
    const lines = text.split('\n');
    if (!may.includes(true)) {
      for (const line of lines) isFenced(line);
      continue;
    }
    const views = viewsOf(lines, firstLine, isFenced);
    for (const [index, view] of views.entries()) {
      if (index % 64 === 0) await options.giveWay();
      const found = conditions.map((condition) => condition.findIn(view));
      const first = found.filter((at) => at >= 0);
      if (first.length === 0) continue;
      found.forEach((at, condition) => {
        if (at >= 0) met[condition] = true;
      });
      const isWhole = first.length === conditions.length;
      anyWhole ||= isWhole;
      const line = firstLine + index;
      const list = isWhole ? whole : some;
      if (line > options.afterLine && list.length < options.limit) {
        list.push(describe(place, line, views, index, Math.min(...first)));
      }
    }
  }
  if (met.includes(false)) return [];
  return anyWhole ? whole : some;
}

const textChars = 300;
const aroundChars = 160;

function describe(place: Place, line: number, views: readonly LineView[], index: number, at: number): Match {
  const before = cut(views[index - 1]?.written ?? '', 0, aroundChars);
  const after = cut(views[index + 1]?.written ?? '', 0, aroundChars);
  return {
    path: place.path,
    line,
    text: cut(views[index]?.written ?? '', at, textChars),
    ...(before.trim() !== '' && { before }),
    ...(after.trim() !== '' && { after }),
  };
}

/** At most `length` of a line, around a position; never splits a surrogate pair. */
function cut(line: string, at: number, length: number): string {
  if (line.length <= length) return line;
  const from = Math.max(0, Math.min(at - Math.floor(length / 3), line.length - length));
  const piece = line.slice(from, from + length).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${from > 0 ? '…' : ''}${piece}${from + length < line.length ? '…' : ''}`;
}
