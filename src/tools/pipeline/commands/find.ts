import type { StageArgument } from '../../../contract/capabilities/pipeline.ts';
import { type Text, text } from '../../../contract/text/text.ts';
import { type Grammar, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { inFd, nameSearchOf } from '../lessons/names.ts';
import { onFiles } from '../lessons/per-file.ts';
import type { Word } from '../words.ts';

/** Tests and the form of their values. Anything else is refused: no -exec, -delete, -fprint, -L. */
const tests = new Map<string, RegExp | undefined>([
  ['-name', /^/],
  ['-iname', /^/],
  ['-path', /^/],
  ['-ipath', /^/],
  ['-wholename', /^/],
  ['-regex', /^/],
  ['-iregex', /^/],
  ['-regextype', /^[\w-]+$/],
  ['-type', /^[fdl](,[fdl])*$/],
  ['-maxdepth', /^\d+$/],
  ['-mindepth', /^\d+$/],
  ['-size', /^[+-]?\d+[bcwkMG]?$/],
  ['-mtime', /^[+-]?\d+$/],
  ['-mmin', /^[+-]?\d+$/],
  ['-ctime', /^[+-]?\d+$/],
  ['-cmin', /^[+-]?\d+$/],
  ['-atime', /^[+-]?\d+$/],
  ['-amin', /^[+-]?\d+$/],
  ['-perm', /^[-/]?[0-7rwxugoa+=,]+$/],
  ['-printf', /^/],
  ['-newermt', /^/],
  ['-empty', undefined],
  ['-print', undefined],
  ['-print0', undefined],
  ['-prune', undefined],
  ['-depth', undefined],
  ['-not', undefined],
  ['!', undefined],
  ['-a', undefined],
  ['-and', undefined],
  ['-o', undefined],
  ['-or', undefined],
  ['(', undefined],
  [')', undefined],
  ['-true', undefined],
  ['-false', undefined],
  ['-ls', undefined],
  ['-quit', undefined],
  ['-executable', undefined],
  ['-readable', undefined],
]);

/** `find PATH… TESTS…`, in the extended list. Follows no link. */
export const find: Grammar = {
  command: 'find',
  extended: true,
  wordFlags: true,
  instead(words) {
    const pipeline = asFd(words);
    return pipeline === undefined ? undefined : { pipeline };
  },
  rows: [...tests.keys()].filter((flag) => flag.startsWith('-')).map((flag) => ({ flags: [flag] })),
  plan(_args, { words }) {
    const start = words.findIndex((word) => isTest(word));
    const below = start < 0 ? words : words.slice(0, start);
    const args: StageArgument[] = below.map(({ text: path }) => ({ path }));
    const rest = start < 0 ? [] : words.slice(start);
    for (let index = 0; index < rest.length; index++) {
      const word = rest[index] as Word;
      if (!tests.has(word.text))
        throw refuse(
          words,
          text(`find has no ${word.text} here.`, `find の ${word.text} はここでは使えません。`),
        );
      args.push(word.text);
      const form = tests.get(word.text);
      if (!form) continue;
      const value = rest[++index];
      if (!value || !form.test(value.text))
        throw refuse(
          words,
          text(`find ${word.text} needs another value.`, `find ${word.text} の値が正しくありません。`),
        );
      args.push(value.text);
    }
    return program('find', args, { minor: unreadable });
  },
};

function isTest({ text: word }: Word): boolean {
  return word.startsWith('-') || word === '!' || word === '(';
}

function refuse(words: readonly Word[], because: Text): GuardViolation {
  const remedy = asFd(words);
  return new GuardViolation('PARSE_ERROR', because, [
    ...(remedy === undefined ? [] : [{ pipeline: remedy }]),
    {
      words: text(`It takes: ${[...tests.keys()].join(' ')}`, `使えるもの: ${[...tests.keys()].join(' ')}`),
    },
  ]);
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
