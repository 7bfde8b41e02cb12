import type { StageArgument } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { type Grammar, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { inFd, nameSearchOf } from '../lessons/names.ts';
import { onFiles } from '../lessons/per-file.ts';
import { type OptionRow, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

/** Tests and the form of their values. Anything else is refused: no -exec, -delete, -fprint, -L. */
const rows = rowsOf(
  `-name= -iname= -path= -ipath= -wholename= -regex= -iregex= -regextype=word -type=types -maxdepth=#
  -mindepth=# -size=size -mtime=age -mmin=age -ctime=age -cmin=age -atime=age -amin=age -perm=mode -printf=
  -newermt= -empty -print -print0 -prune -depth -not ! -a -and -o -or ( ) -true -false -ls -quit -executable
  -readable`,
  {
    word: /^[\w-]+$/,
    types: /^[fdl](,[fdl])*$/,
    size: /^[+-]?\d+[bcwkMG]?$/,
    age: /^[+-]?\d+$/,
    mode: /^[-/]?[0-7rwxugoa+=,]+$/,
  },
);

/** `find PATH… TESTS…`, in the extended list. Follows no link. */
export const find: Grammar = {
  command: 'find',
  wordFlags: true,
  instead: asFd,
  rows,
  plan(_args, { words }) {
    const start = words.findIndex(({ text: word }) => /^(?:-|!$|\($)/.test(word));
    const tests = start < 0 ? [] : words.slice(start);
    const args: StageArgument[] = words
      .slice(0, words.length - tests.length)
      .map(({ text: path }) => ({ path }));
    let isValue = false;
    for (const { text: word } of tests) {
      const row: OptionRow | undefined = isValue
        ? undefined
        : rows.find(({ flags: [flag] }) => flag === word);
      if (!isValue && !row) throw refuse(words, word);
      isValue = row?.value === 'text';
      args.push(word);
    }
    return program('find', args, { minor: unreadable });
  },
};

function refuse(words: readonly Word[], test: string): GuardViolation {
  const remedy = asFd(words);
  const known = rows.flatMap(({ flags }) => flags).join(' ');
  return new GuardViolation(
    'PARSE_ERROR',
    `find has no ${test} here.`,
    `find の ${test} はここでは使えません。`,
    [...(remedy === undefined ? [] : [remedy]), text(`It takes: ${known}`, `使えるもの: ${known}`)],
  );
}

/** The pipeline equivalent to a find command; undefined if a part of it cannot be translated. */
export function asFd(words: readonly Word[]): string | undefined {
  const at = words.findIndex((word) => /^-(exec|execdir|ok|okdir)$/.test(word.text));
  if (at < 0) {
    const search = nameSearchOf('find', words);
    return search && inFd(search);
  }
  return onFiles({
    finder: 'find',
    found: words.slice(0, at),
    command: words.slice(at + 1),
    together: words.at(-1)?.text === '+',
  });
}
