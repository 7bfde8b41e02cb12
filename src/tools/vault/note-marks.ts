import { withoutCode } from './code-fences.ts';

/** A searchable mark in a note: a tag, or a field of the front matter. */
export interface Mark {
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

/** Removes spelling differences that a search ignores: case, full and half width, composition. */
export function fold(words: string): string {
  return words.normalize('NFKC').toLowerCase();
}

/** Fields of the front matter (`---` on the first line); each tag is one mark named `tag`. Values are folded. */
export function frontMatterOf(lines: readonly string[]): {
  readonly marks: readonly Mark[];
  readonly endLine: number;
} {
  if (lines[0]?.trimEnd() !== '---') return { marks: [], endLine: 0 };
  const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end === -1) return { marks: [], endLine: 0 };
  const marks: Mark[] = [];
  let field = '';
  for (let at = 1; at < end; at += 1) {
    const line = lines[at] ?? '';
    const colon = /^[^\s#:-][^:]{0,99}:(?=\s|$)/.test(line) ? line.indexOf(':') : -1;
    if (colon > 0) field = fold(line.slice(0, colon).trim());
    const rest = colon > 0 ? line.slice(colon + 1) : /^\s*-\s/.test(line) ? line.replace(/^\s*-\s/, '') : '';
    for (const value of valuesOf(rest, field)) marks.push({ line: at + 1, name: field, value: fold(value) });
  }
  const named = marks.map((mark) => (mark.name === 'tags' ? { ...mark, name: 'tag' } : mark));
  return { marks: named.map((mark) => (mark.name === 'tag' ? untagged(mark) : mark)), endLine: end + 1 };
}

/** The `#tags` of a line outside `code`, folded, without `#`. A number alone is no tag: `#12` names an issue. */
export function tagsIn(line: string): readonly string[] {
  if (!line.includes('#')) return [];
  const tags: string[] = [];
  for (const [, tag = ''] of withoutCode(line).matchAll(
    /(?<![\p{L}\p{N}_#/&])#([\p{L}\p{N}\p{M}_/-]{1,200})/gu,
  )) {
    if (!/^[\d/-]+$/.test(tag)) tags.push(fold(tag));
  }
  return tags;
}

/** Whether it is the tag, or one below it: `recipe/soup` is a `recipe`. */
export function isTagged(tag: string, wanted: string): boolean {
  return tag === wanted || tag.startsWith(`${wanted}/`);
}

function valuesOf(written: string, field: string): readonly string[] {
  const bare = written.trim();
  const list = bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : undefined;
  const isTags = field === 'tag' || field === 'tags';
  const values = list !== undefined ? list.split(',') : isTags ? bare.split(/[,\s]/) : [bare];
  return values.map((value) => value.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((value) => value !== '');
}

function untagged(mark: Mark): Mark {
  return mark.value.startsWith('#') ? { ...mark, value: mark.value.slice(1) } : mark;
}
