import type { NameListQuery } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import type { Grammar } from '../grammar.ts';
import { onFiles } from '../lessons/per-file.ts';
import { changesFiles } from '../lessons/reasons.ts';
import { momentForm, momentMs, sizeBounds, sizeForm } from '../measures.ts';
import { commandOf, type ParsedArguments, plain, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

const runsPrograms = text(
  'fd runs no commands on what it finds. See the names first, then name the files: wc -l src/*.py.',
  'fd から見つけたファイルに対するコマンド実行はできません。先に名前を確かめ、次にファイルを指定してください: wc -l src/*.py',
);

/** `fd -e ts PATTERN PATH…`: respects ignore files, and sorts the names. */
export const fd: Grammar = {
  command: 'fd',
  rows: rowsOf(
    `-H|--hidden -I|--no-ignore -u|--unrestricted -s|--case-sensitive -i|--ignore-case -g|--glob --regex
    -F|--fixed-strings -p|--full-path -d|--max-depth|--maxdepth=# --min-depth=# --exact-depth=# -E|--exclude=
    -t|--type=type -e|--extension= --max-results=# -S|--size=size
    --changed-within|--newer|--change-newer-than=moment --changed-before|--older|--change-older-than=moment
    -1 -0|--print0 --strip-cwd-prefix[=] -c|--color=color -j|--threads=#
    -x|--exec|-X|--exec-batch=!executes -l|--list-details!runs
    -o|--owner|--format|--and|--path-separator|--batch-size=!others
    -L|--follow|-a|--absolute-path!leaves --base-directory|--search-path|--ignore-file|-C=!leaves`,
    {
      type: /^(f|file|d|dir|directory|l|symlink|x|executable|e|empty)$/,
      size: sizeForm,
      moment: momentForm,
      color: /^(never|auto)$/,
    },
    {
      executes: { because: runsPrograms, instead: onFound },
      runs: runsPrograms,
      others: {
        because: text(
          'fd finds by name, kind, size and time here.',
          'fd で使える条件は名前・種類・大きさ・時刻です。',
        ),
        instead: () => undefined,
      },
      leaves: text(
        'fd follows no links and prints relative names.',
        'fd はリンクをたどらず、相対パスを表示します。',
      ),
    },
  ),
  plan: (args) => ({ kind: 'find-names', query: queryOf(args) }),
};

/** `fd -e py -x wc -l`: rg reads the files; if it cannot, the names come first. */
function onFound(words: readonly Word[], value: string | undefined, at: number): string | undefined {
  const [found, command] = [words.slice(0, at), [plain(value ?? ''), ...words.slice(at)]];
  if (changesFiles(value ?? '')) return undefined;
  return onFiles({ finder: 'fd', found, command, together: false }) ?? commandOf(fd, found);
}

function queryOf({ operands, has, all }: ParsedArguments): NameListQuery {
  const [pattern = '', ...below] = operands.map((operand) => operand.text);
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
    ...(sizes.length > 0 && {
      leastBytes: Math.max(...sizes.map(({ least }) => least)),
      mostBytes: Math.min(...sizes.map(({ most }) => most)),
    }),
    ...(since.length > 0 && { changedAfterMs: Math.max(...since) }),
    ...(until.length > 0 && { changedBeforeMs: Math.min(...until) }),
    separator: has('-0') ? '\0' : '\n',
    below,
  };
}

/** By the first letter, but for `executable`. */
function kindOf(written: string): NameListQuery['kinds'][number] {
  const letters = { d: 'folder', l: 'symlink', s: 'symlink', x: 'executable', e: 'empty' } as const;
  if (written === 'executable') return 'executable';
  return letters[written.charAt(0) as keyof typeof letters] ?? 'file';
}
