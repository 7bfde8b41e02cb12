import { text } from '../../../../contract/text/text.ts';
import { listsAll } from '../../listings.ts';
import { reachOf } from '../../places/targets.ts';
import { searches } from '../../programs.ts';
import { readGitLine } from '../../unwrap/git.ts';
import { hasOption, optionsNamed, readOptions } from '../../words/options.ts';
import { hasWord } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';
import type { CommandRule, Scene, Use } from '../rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

/** Commands that throw away what nothing else keeps. */
export const losingRules: readonly CommandRule[] = [
  {
    id: 'git-lose',
    decision: 'ask',
    contained: true,
    programs: ['git'],
    because: text(
      'it discards files that git does not keep, or content that only git has',
      'git が保存していないファイル、または git だけが保存している内容を破棄します',
    ),
    suggestion: person,
    fits: (use, scene) => losesInGit(use, scene),
    match: [
      'git clean -fdx',
      'git clean -d -x --force',
      'git -C sub clean -ffd',
      'git rm -r --force .',
      "git rm -rf '*'",
      'git stash clear',
      'git reflog expire --expire=now --all',
      'git update-ref -d refs/heads/x',
      'git gc --prune=now',
      'git filter-branch --tree-filter ls HEAD',
    ],
    notMatch: [
      'git clean -nfdx',
      'git clean -fd',
      'git rm -r --cached .',
      'git rm -r old',
      'git stash pop',
      'git reflog',
      'git gc',
    ],
  },
  {
    id: 'empty-everything',
    decision: 'ask',
    contained: true,
    programs: ['truncate', 'shred', 'cp', 'tee', 'sponge', 'sed', 'perl', 'ruby', 'dd'],
    because: text(
      'it empties or overwrites files that are not named one by one',
      '個別に指定されていないファイルを空にするか上書きします',
    ),
    suggestion: person,
    fits: ({ program, args, via }, scene) => {
      if (/^(tee|sponge|sed|perl|ruby|dd)$/.test(program)) return blanksAll(program, args, via, scene);
      if (program === 'cp') {
        const { operands } = readOptions(args, { valued: 'tS', longValued: ['target-directory', 'suffix'] });
        const target = operands[1];
        return operands[0]?.value === '/dev/null' && !!target && reachOf(target, scene) !== 'inside';
      }
      const options = readOptions(args, {
        valued: program === 'shred' ? 'ns' : 'rs',
        longValued: ['size', 'reference', 'iterations', 'random-source'],
      });
      const size = optionsNamed(options, 's', ['size']).at(-1)?.value?.value;
      if (
        program === 'truncate' &&
        size !== undefined &&
        !/^[<%/-]?0*[KMGTPEZY]?B?$/.test(size.replace(/^[<%/-]\d+/, '0'))
      )
        return false;
      return options.operands.some((word) => reachOf(word, scene) !== 'inside');
    },
    match: [
      'truncate -s0 *',
      'shred -u ./*',
      'find . -print0 | xargs -0 shred -u',
      'shred ~',
      'truncate --size=0 "$(cat list)"',
      'for f in $(git ls-files); do : > "$f"; done',
      'git ls-files | while read -r f; do cat /dev/null > "$f"; done',
      'while read -r f; do echo x > "$f"; done < <(find . -type f)',
      'tee $(git ls-files) < /dev/null',
      'git ls-files | xargs sed -i d',
      "perl -i -ne '' *",
      `perl -pi -e '$_=""' *`,
      'find . -type f -exec dd if=/dev/null of={} \\;',
      'find . -type f -exec cp /dev/null {} \\;',
      `find . -type f -exec sh -c 'echo > "$0"' {} \\;`,
      `find . -type f -exec sh -c ': > "$1"' _ {} \\;`,
      `find . -print0 | xargs -0 -I{} sh -c '> "$1"' _ {}`,
    ],
    notMatch: [
      'truncate -s 0 app.log',
      'cp /dev/null app.log',
      `find . -name '*.md' -exec sh -c 'echo done > "$1.ok"' _ {} \\;`,
      'shred -u key.pem',
      'truncate -s 0 logs/*.log',
      'truncate -s 10M disk.img',
      'f=a.log; truncate -s 0 "$f"',
      ': > "$log"',
      'for f in *.log; do > "$f"; done',
      'for f in $(git ls-files); do sed s/a/b/ "$f" > "$f.new"; done',
      'find . -name "*.log" | while read -r f; do : > "$f"; done',
      'tee -a a.log b.log',
      'tee "$log" < a.txt',
      'sed -i /x/d $(git ls-files)',
      'sed -i d a.txt',
    ],
  },
];

/** The same text, or none, is put into each of many files: `tee $(git ls-files)`, `sed -i d *`. */
function blanksAll(program: string, args: readonly Word[], via: readonly string[], scene: Scene): boolean {
  if (program === 'dd')
    return (
      args.some(({ value }) => /^if=\/dev\/(null|zero|u?random)$/.test(value ?? '')) &&
      via.some(searches) &&
      args.some(({ prefix, value }) => value === undefined && prefix.startsWith('of='))
    );
  const options = readOptions(args, blanking[program]);
  const files = options.operands;
  if (program === 'sponge' || program === 'tee') {
    if (hasOption(options, 'a', ['append'])) return false;
  } else {
    if (!hasOption(options, 'i', ['in-place'])) return false;
    const codes = options.given
      .filter(({ name }) => /^(e|E|expression)$/.test(name))
      .map(({ value }) => value);
    const scripts = codes.length > 0 ? codes : [files[0]];
    const printsNothing = hasOption(options, 'n', ['quiet', 'silent']);
    if (
      !scripts.every(
        (code) =>
          (printsNothing && /^\s*;?\s*$/.test(code?.value ?? '?')) ||
          blank[program]?.test(code?.value ?? '?'),
      )
    )
      return false;
  }
  const isEach = via.some(searches);
  return files.some((word) => {
    const reach = reachOf(word, scene);
    const isMany = isEach || word.isInput !== undefined || word.pieces.some(listsAll);
    return reach === 'everything' || (reach === 'unknown' && isMany);
  });
}

const blanking: Readonly<Record<string, Parameters<typeof readOptions>[1]>> = {
  sed: { valued: 'efl', longValued: ['expression', 'file', 'line-length'] },
  perl: { valued: 'eEIMm' },
  ruby: { valued: 'eIr' },
};
/** A program of sed, perl or ruby after which nothing is left. */
const blank: Readonly<Record<string, RegExp>> = {
  sed: /^\s*((1|0),\$|\/(\.\*|\^|\$)?\/)?\s*d\s*;?\s*$/,
  perl: /^\s*\$_\s*=\s*(""|''|undef)\s*;?\s*$/,
  ruby: /^\s*\$_\s*=\s*(""|''|nil)\s*;?\s*$/,
};

/** `'*'` and `:/`, which git reads itself: gitglossary(7), pathspec. */
const wholePathspec = /^(:\/|:\(top\))?\.?\/?\*{0,2}(\/\*)?$/;

function losesInGit({ args }: Use, scene: Scene): boolean {
  const { verb, rest } = readGitLine(args);
  const has = (pattern: RegExp) => hasWord(rest, pattern);
  switch (verb?.value) {
    case 'clean': {
      const options = readOptions(rest, { valued: 'e', longValued: ['exclude'] });
      if (hasOption(options, 'n', ['dry-run'])) return false;
      const forced = optionsNamed(options, 'f', ['force']).length;
      // Ignored files, and repositories inside; the others are in the history that undo reads.
      return forced > 1 || hasOption(options, 'xX') || options.unsure !== undefined;
    }
    case 'rm': {
      const options = readOptions(rest);
      return (
        !hasOption(options, '', ['cached']) &&
        hasOption(options, 'r') &&
        options.operands.some(
          (word: Word) => reachOf(word, scene) === 'everything' || wholePathspec.test(word.value ?? ''),
        )
      );
    }
    case 'stash':
      return has(/^clear$/);
    case 'reflog':
      return has(/^(expire|delete)$/);
    case 'update-ref':
      return has(/^(-d|--stdin)$/);
    case 'gc':
    case 'prune':
      return has(/^--(prune|expire)=(now|all)$/);
    case 'filter-branch':
    case 'filter-repo':
      return true;
    default:
      return false;
  }
}
