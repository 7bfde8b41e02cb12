import type { NameListQuery } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import type { Grammar } from '../grammar.ts';
import type { Remedy } from '../guard.ts';
import { onFiles } from '../lessons/per-file.ts';
import { changesFiles } from '../lessons/reasons.ts';
import { momentForm, momentMs, sizeBounds, sizeForm } from '../measures.ts';
import { type ParsedOption, plain, type Refusal, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

const runsPrograms: Refusal = {
  reason: 'DISALLOWED_FLAG',
  because: text(
    'fd runs no commands on what it finds. See the names first, then name the files: wc -l src/*.py.',
    'fd から見つけたファイルに対するコマンド実行はできません。先に名前を確かめ、次にファイルを指定してください: wc -l src/*.py',
  ),
};
const leaves: Refusal = {
  reason: 'DISALLOWED_FLAG',
  because: text(
    'fd follows no links and prints relative names.',
    'fd はリンクをたどらず、相対パスを表示します。',
  ),
};
const runs = /^(f|file|d|dir|directory|l|symlink|x|executable|e|empty)$/;

/** `fd -e ts PATTERN PATH…`: respects ignore files, and sorts the names. */
export const fd: Grammar = {
  command: 'fd',
  rows: [
    ...rowsOf(`
      -H|--hidden -I|--no-ignore -u|--unrestricted -s|--case-sensitive -i|--ignore-case -g|--glob
      --regex -F|--fixed-strings -p|--full-path
    `),
    ...rowsOf('-d|--max-depth|--maxdepth --min-depth --exact-depth', { value: 'number' }),
    { flags: ['-E', '--exclude'], value: 'text' },
    { flags: ['-t', '--type'], value: 'text', form: runs },
    { flags: ['-e', '--extension'], value: 'text' },
    { flags: ['--max-results'], value: 'number' },
    { flags: ['-S', '--size'], value: 'text', form: sizeForm },
    ...rowsOf(
      `
      --changed-within|--newer|--change-newer-than --changed-before|--older|--change-older-than
    `,
      { value: 'text', form: momentForm },
    ),
    ...rowsOf('-1 -0|--print0'),
    { flags: ['--strip-cwd-prefix'], value: 'optional' },
    { flags: ['-c', '--color'], value: 'text', form: /^(never|auto)$/ },
    { flags: ['-j', '--threads'], value: 'number' },
    {
      flags: ['-x', '--exec', '-X', '--exec-batch'],
      value: 'text',
      refused: { ...runsPrograms, instead: onFound },
    },
    { flags: ['-l', '--list-details'], refused: runsPrograms },
    {
      flags: ['-o', '--owner', '--format', '--and', '--path-separator', '--batch-size'],
      value: 'text',
      refused: {
        reason: 'DISALLOWED_FLAG',
        because: text(
          'fd finds by name, kind, size and time here.',
          'fd で使える条件は名前・種類・大きさ・時刻です。',
        ),
        instead: () => undefined,
      },
    },
    { flags: ['-L', '--follow', '-a', '--absolute-path'], refused: leaves },
    { flags: ['--base-directory', '--search-path', '--ignore-file', '-C'], value: 'text', refused: leaves },
  ],
  plan({ options, operands }) {
    const [pattern, ...below] = operands.map((operand) => operand.text);
    return { kind: 'find-names', query: queryOf(options, pattern ?? '', below) };
  },
};

/** `fd -e py -x wc -l`: rg reads the files; if it cannot, the names come first. */
function onFound(words: readonly Word[], value: string | undefined, at: number): Remedy | undefined {
  const [found, command] = [words.slice(0, at), [plain(value ?? ''), ...words.slice(at)]];
  const same = onFiles({ finder: 'fd', found, command, together: false });
  if (changesFiles(value ?? '')) return undefined;
  return { pipeline: same ?? ['fd', ...found.map((word) => word.raw)].join(' ') };
}

function queryOf(options: readonly ParsedOption[], pattern: string, below: readonly string[]): NameListQuery {
  const has = (flag: string) => options.some(({ row }) => row.flags[0] === flag);
  const all = (flag: string) =>
    options.flatMap(({ row, value }) => (row.flags[0] === flag && value !== undefined ? [value] : []));
  const number = (flag: string) => {
    const last = all(flag).at(-1);
    return last === undefined ? undefined : Number(last);
  };
  const sizes = all('-S').map(sizeBounds);
  const since = all('--changed-within').map(momentMs);
  const until = all('--changed-before').map(momentMs);
  const exact = number('--exact-depth');
  const unrestricted = has('-u');
  return {
    pattern,
    fixed: has('-F'),
    glob: has('-g'),
    ignoreCase: has('-i') ? true : has('-s') ? false : 'smart',
    fullPath: has('-p'),
    hidden: has('-H') || unrestricted,
    noIgnore: has('-I') || unrestricted,
    extensions: all('-e').map((extension) => extension.replace(/^\./, '')),
    kinds: all('-t').map(kindOf),
    exclude: all('-E'),
    minDepth: exact ?? number('--min-depth') ?? 1,
    maxDepth: exact ?? number('-d') ?? 256,
    maxResults: has('-1') ? 1 : number('--max-results') || 1_000_000,
    ...(sizes.length === 0
      ? {}
      : {
          leastBytes: Math.max(...sizes.map(({ least }) => least)),
          mostBytes: Math.min(...sizes.map(({ most }) => most)),
        }),
    ...(since.length === 0 ? {} : { changedAfterMs: Math.max(...since) }),
    ...(until.length === 0 ? {} : { changedBeforeMs: Math.min(...until) }),
    separator: has('-0') ? '\0' : '\n',
    below,
  };
}

function kindOf(letter: string): NameListQuery['kinds'][number] {
  switch (letter[0]) {
    case 'd':
      return 'folder';
    case 'l':
    case 's':
      return 'symlink';
    case 'x':
      return 'executable';
    case 'e':
      return letter === 'executable' ? 'executable' : 'empty';
    default:
      return 'file';
  }
}
