import { DatabaseSync } from 'node:sqlite';

/** Finds the places of facts in a list, best first. */
export type Finder = (question: string, limit: number) => readonly number[];

/** What memory tools commonly do: the question as a part of the text. */
export function createSubstringFinder(contents: readonly string[]): Finder {
  const folded = contents.map((content) => content.toLowerCase());
  return (question, limit) => {
    const wanted = question.toLowerCase().replace(/[?？。.]+$/, '');
    return folded.flatMap((content, at) => (content.includes(wanted) ? [at] : [])).slice(0, limit);
  };
}

/** FTS5 as it comes: `unicode61`, every word of the question quoted, any of them, ranked by its own bm25. */
export function createPlainFinder(contents: readonly string[]): Finder {
  const database = new DatabaseSync(':memory:');
  database.exec("create virtual table plain using fts5 (content, tokenize = 'unicode61')");
  const insert = database.prepare('insert into plain (rowid, content) values (?, ?)');
  for (const [at, content] of contents.entries()) insert.run(at + 1, content);
  const select = database.prepare('select rowid from plain where plain match ? order by rank limit ?');
  return (question, limit) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    const match = words.map((word) => `"${word}"`).join(' OR ');
    return select.all(match, limit).map(({ rowid }) => Number(rowid) - 1);
  };
}
