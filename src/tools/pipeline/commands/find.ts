import type { StageArgument } from '../../../contract/pipeline.ts';
import { text } from '../../../contract/text.ts';
import { type Grammar, program } from '../grammar.ts';
import { GuardViolation, type Remedy } from '../guard.ts';
import { quote, type Word } from '../words.ts';

/** Tests and what follows each. What is not here does not exist: no -exec, -delete, -fprint, -L. */
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
  rows: [...tests.keys()].filter((flag) => flag.startsWith('-')).map((flag) => ({ flags: [flag] })),
  plan(_args, { words }) {
    const start = words.findIndex((word) => isTest(word));
    const below = start < 0 ? words : words.slice(0, start);
    const args: StageArgument[] = below.map(({ text: path }) => ({ path }));
    const rest = start < 0 ? [] : words.slice(start);
    for (let index = 0; index < rest.length; index++) {
      const word = rest[index] as Word;
      if (!tests.has(word.text))
        throw refuse(words, `find has no ${word.text} here.`, `find の ${word.text} はここでは使えません。`);
      args.push(word.text);
      const form = tests.get(word.text);
      if (!form) continue;
      const value = rest[++index];
      if (!value || !form.test(value.text))
        throw refuse(
          words,
          `find ${word.text} needs another value.`,
          `find ${word.text} の値が正しくありません。`,
        );
      args.push(value.text);
    }
    return program('find', args);
  },
};

function isTest({ text: word }: Word): boolean {
  return word.startsWith('-') || word === '!' || word === '(';
}

function refuse(words: readonly Word[], en: string, ja: string): GuardViolation {
  return new GuardViolation('PARSE_ERROR', text(en, ja), [asFd(words)]);
}

/** The fd command nearest to a find command. */
export function asFd(words: readonly Word[]): Remedy {
  const flags: string[] = [];
  const below: string[] = [];
  let pattern: string | undefined;
  let negated = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const value = words[index + 1]?.text ?? '';
    if (word.text === '-exec' || word.text === '-execdir' || word.text === '-delete') break;
    if (word.text === '!' || word.text === '-not') {
      negated = true;
      continue;
    }
    if (
      word.text === '-name' ||
      word.text === '-iname' ||
      word.text === '-path' ||
      word.text === '-wholename'
    ) {
      index++;
      const extension = /^\*\.([\w.]+)$/.exec(value)?.[1];
      if (negated) flags.push('-E', quote(value.replace(/^\.\//, '').replace(/^\*\/|\/\*$/g, '')));
      else if (extension && word.text === '-name') flags.push('-e', extension);
      else {
        pattern = value.replace(/^\.\//, '');
        flags.push(
          '-g',
          ...(word.text === '-iname' ? ['-i'] : []),
          ...(word.text.endsWith('name') ? [] : ['-p']),
        );
      }
    } else if (word.text === '-type' && /^[fdl]$/.test(value)) {
      index++;
      flags.push('-t', value);
    } else if (word.text === '-maxdepth' && /^\d+$/.test(value)) {
      index++;
      flags.push('-d', value);
    } else if (word.text === '-mindepth' && /^\d+$/.test(value)) {
      index++;
      flags.push('--min-depth', value);
    } else if (word.text === '-empty') flags.push('-t', 'e');
    else if (word.text === '-print0') flags.push('-0');
    else if (!word.text.startsWith('-') && flags.length === 0 && pattern === undefined && word.text !== '(') {
      if (word.text !== '.') below.push(word.raw);
    } else if (tests.get(word.text)) index++;
    negated = false;
  }
  const wanted = pattern === undefined ? (below.length > 0 ? ['.'] : []) : [quote(pattern)];
  return { pipeline: ['fd', ...flags, ...wanted, ...below].join(' ') };
}
