import type { NameListQuery } from '../../../contract/pipeline.ts';
import { text } from '../../../contract/text.ts';
import type { Grammar } from '../grammar.ts';
import type { ParsedOption, Refusal } from '../options.ts';

const runsPrograms: Refusal = {
  reason: 'DISALLOWED_FLAG',
  because: text(
    'fd may not run commands on what it finds. Pipe the names on, or give rg the folder.',
    'fd から見つけたファイルに対するコマンド実行はできません。名前をパイプで渡すか、rg にフォルダーを指定してください。',
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

/** `fd -e ts PATTERN PATH…`: served by ripgrep's listing, so `.gitignore` holds, and names come sorted. */
export const fd: Grammar = {
  command: 'fd',
  rows: [
    { flags: ['-H', '--hidden'] },
    { flags: ['-I', '--no-ignore'] },
    { flags: ['-u', '--unrestricted'] },
    { flags: ['-s', '--case-sensitive'] },
    { flags: ['-i', '--ignore-case'] },
    { flags: ['-g', '--glob'] },
    { flags: ['--regex'] },
    { flags: ['-F', '--fixed-strings'] },
    { flags: ['-p', '--full-path'] },
    { flags: ['-d', '--max-depth', '--maxdepth'], value: 'number' },
    { flags: ['--min-depth'], value: 'number' },
    { flags: ['--exact-depth'], value: 'number' },
    { flags: ['-E', '--exclude'], value: 'text' },
    { flags: ['-t', '--type'], value: 'text', form: runs },
    { flags: ['-e', '--extension'], value: 'text' },
    { flags: ['--max-results'], value: 'number' },
    { flags: ['-1'] },
    { flags: ['-0', '--print0'] },
    { flags: ['--strip-cwd-prefix'], value: 'optional' },
    { flags: ['-c', '--color'], value: 'text', form: /^(never|auto)$/ },
    { flags: ['-j', '--threads'], value: 'number' },
    { flags: ['-x', '--exec', '-X', '--exec-batch'], refused: { ...runsPrograms, instead: beforeExec } },
    { flags: ['-l', '--list-details'], refused: runsPrograms },
    { flags: ['-L', '--follow', '-a', '--absolute-path'], refused: leaves },
    { flags: ['--base-directory', '--search-path', '--ignore-file', '-C'], value: 'text', refused: leaves },
  ],
  plan({ options, operands }) {
    const [pattern, ...below] = operands.map((operand) => operand.text);
    return { kind: 'find-names', query: queryOf(options, pattern ?? '', below) };
  },
};

function beforeExec(words: readonly { readonly raw: string }[]) {
  // What follows -x is the command; what stood before it is the search.
  const search = words.map((word) => word.raw);
  const names = search.findIndex((raw) =>
    /^(wc|rg|grep|sed|awk|cat|head|tail|rm|mv|cp|echo|chmod|sh|bash)$/.test(raw),
  );
  return { pipeline: ['fd', ...(names < 0 ? search.slice(0, 1) : search.slice(0, names))].join(' ') };
}

function queryOf(options: readonly ParsedOption[], pattern: string, below: readonly string[]): NameListQuery {
  const has = (flag: string) => options.some(({ row }) => row.flags[0] === flag);
  const all = (flag: string) =>
    options.flatMap(({ row, value }) => (row.flags[0] === flag && value !== undefined ? [value] : []));
  const number = (flag: string) => {
    const last = all(flag).at(-1);
    return last === undefined ? undefined : Number(last);
  };
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
