import type { CommandLine } from '../../contract/capabilities/process.ts';
import { constant } from './print/quote.ts';
import type { Word, Written } from './words/word.ts';

interface Edit {
  readonly at: Written;
  /** What stands before the script in its word: `--exec=`. */
  readonly before: string;
  readonly inner: Writing;
}

interface Spot {
  readonly pos: number;
  readonly end: number;
}

/** Other text, in the place of what stands from `pos` to `end`. */
export interface Change extends Spot {
  readonly text: string;
  /** The part of the syntax that it is about. */
  readonly of: Spot & { readonly text: string };
}

/** A text that runs, the scripts inside of it that were written anew as well, and what else is written otherwise. */
export interface Writing {
  readonly text: string;
  readonly edits: Edit[];
  readonly changes: Change[];
}

/** Notes changes, unless the parser counted the places of one in another text. */
export function change({ text, changes }: Writing, wanted: readonly Change[]): boolean {
  const isSure = wanted.length > 0 && wanted.every(({ of }) => text.slice(of.pos, of.end) === of.text);
  if (isSure) changes.push(...wanted);
  return isSure;
}

/** Notes that the script in this word was written anew. One that was put together from several words stays. */
export function rewrite(outer: Writing, { at, value }: Word, inner: Writing): void {
  if (at && value !== undefined && at.value.endsWith(value)) {
    outer.edits.push({ at, before: at.value.slice(0, at.value.length - value.length), inner });
  }
}

/** The command with its inner scripts in it, as it is to run. */
export function runsOf(line: CommandLine, writing: Writing): CommandLine {
  if (line.kind === 'script') return { ...line, script: textOf(writing) };
  const [program = line.program, ...args] = wordsOf([line.program, ...line.args], writing);
  return { ...line, program, args };
}

/** Those of a script's commands that are written otherwise than they were read; nothing where that is not all. */
export function changedIn(
  line: CommandLine,
  writing: Writing,
  commands: readonly Spot[],
): CommandLine | undefined {
  const places = [
    ...writing.changes.map(({ pos }) => pos),
    ...writing.edits.flatMap(({ at, inner }) => (isChanged(inner) ? [at.pos] : [])),
  ];
  const found = new Set(places.map((pos) => commands.find((one) => one.pos <= pos && pos < one.end)));
  const changed = [...found].flatMap((one) => (one ? [textOf(writing, one)] : []));
  return line.kind === 'script' && changed.length > 0 && changed.length === found.size
    ? { ...line, script: changed.join('\n') }
    : undefined;
}

function isChanged({ edits, changes }: Writing): boolean {
  return changes.length > 0 || edits.some(({ inner }) => isChanged(inner));
}

/** The text, or a part of it, with its inner scripts in it. */
function textOf({ text, edits, changes }: Writing, part: Spot = { pos: 0, end: text.length }): string {
  let written = '';
  let done = part.pos;
  const scripts = replacements(edits).map(({ at: { pos, end, delimiter }, replacement }) => {
    return { pos, end, text: delimiter === undefined ? constant(replacement) : replacement };
  });
  for (const { pos, end, text: given } of [...scripts, ...changes].sort((a, b) => a.pos - b.pos)) {
    if (pos < done || pos >= part.end) continue;
    written += text.slice(done, pos) + given;
    done = end;
  }
  return written + text.slice(done, part.end);
}

/** Words of a program that is started without a shell; a script's place is the number of its word. */
function wordsOf(words: readonly string[], { edits }: Writing): readonly string[] {
  const written = [...words];
  for (const { at, replacement } of replacements(edits)) written[at.pos] = replacement;
  return written;
}

/** What each word becomes; a word that was read in two ways stays as it is. */
function replacements(edits: readonly Edit[]) {
  const byPlace = new Map<number, { readonly at: Written; readonly replacement: string }>();
  for (const { at, before, inner } of edits) {
    const script = before + textOf(inner);
    const replacement = at.delimiter === undefined ? script : document(script, at.delimiter);
    const known = byPlace.get(at.pos);
    const sure = replacement !== undefined && (known === undefined || known.replacement === replacement);
    byPlace.set(at.pos, { at, replacement: sure ? replacement : at.value });
  }
  return [...byPlace.values()];
}

/** The script as the lines of a here-document, if none of them would end it. */
function document(script: string, delimiter: string): string | undefined {
  return script.split('\n').includes(delimiter) ? undefined : `${script}\n`;
}
