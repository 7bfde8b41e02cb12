import { text } from '../../contract/text/text.ts';
import { readGitLine } from '../unwrap/git.ts';
import { hasOption, optionsNamed, readOptions } from '../words/options.ts';
import { hasWord } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import { removers, removesRepository } from './files/removing.ts';
import type { CommandRule } from './rule.ts';

/** Commands that discard data that only git has. */
export const gitRules: readonly CommandRule[] = [
  {
    id: 'git-lose',
    decision: 'ask',
    contained: true,
    programs: ['git', ...removers],
    because: text(
      'it discards files that git does not keep, or content that only git has',
      'git が保存していないファイル、または git だけが保存している内容を破棄します',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: (use) => (use.program === 'git' ? losesInGit(use.args) : removesRepository(use)),
    match: [
      'find . -name .git -exec rm -rf {} +',
      'rm -r .git',
      'rm -rf packages/a/.git/',
      'd=.git; rm -r "$d"',
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
      'rm -r build',
      'rm .git/index.lock',
      'mv .git .git.bak',
      'rm -r .github/old',
      "find . -not -path './.git/*' -empty -delete",
      'git clean -nfdx',
      'git clean -fd',
      'git rm -r --cached .',
      'git rm -r old',
      'git stash pop',
      'git reflog',
      'git gc',
    ],
  },
];

/** `'*'` and `:/`, which git expands itself: gitglossary(7), pathspec. */
const wholePathspec = /^(:\/|:\(top\))?\.?\/?\*{0,2}(\/\*)?$/;

function losesInGit(args: readonly Word[]): boolean {
  const { verb, rest } = readGitLine(args);
  const has = (pattern: RegExp) => hasWord(rest, pattern);
  switch (verb?.value) {
    case 'clean': {
      const options = readOptions(rest, { valued: 'e', longValued: ['exclude'] });
      if (hasOption(options, 'n', ['dry-run'])) return false;
      const forced = optionsNamed(options, 'f', ['force']).length;
      // These remove ignored files and nested repositories; undo can restore the others from the history.
      return forced > 1 || hasOption(options, 'xX');
    }
    case 'rm': {
      const options = readOptions(rest);
      return (
        !hasOption(options, '', ['cached']) &&
        hasOption(options, 'r') &&
        options.operands.some(
          ({ value }) => /^(\.|\.\.|\/)$/.test(value ?? '') || wholePathspec.test(value ?? 'x'),
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
