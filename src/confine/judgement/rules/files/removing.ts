import { text } from '../../../../contract/text/text.ts';
import { reachOf } from '../../places/targets.ts';
import { possibleValues } from '../../variables/values.ts';
import { unknownWord, type Word } from '../../words/word.ts';
import type { CommandRule, Use } from '../rule.ts';
import { removesFound } from './finding.ts';
import { isOutside } from './move.ts';
import { isForced, isRecursive, removal } from './removal.ts';

/** Programs whose words are what they remove. */
const removing = ['rm', 'srm', 'rimraf', 'trash', 'trash-put', 'gio', 'del-cli'];

/** Commands that remove more than anybody meant. */
export const removingRules: readonly CommandRule[] = [
  {
    id: 'rm-recursive-force',
    decision: 'deny',
    dialect: 'listed',
    programs: ['rm', 'srm'],
    because: text(
      'rm with recursive and force together deletes folders irreversibly',
      'rm の再帰と強制の組み合わせは、フォルダーを元に戻せない形で削除します',
    ),
    suggestion: text(
      'Use `rm -r PATH` without force, with the path written out.',
      '強制なしの `rm -r パス` を、パスを書き出して使ってください。',
    ),
    fits: ({ args }, scene) => {
      const options = removal(args, scene);
      return isRecursive(options) && isForced(options);
    },
    match: [
      'rm -rf build',
      'rm -r --interactive=never x',
      'rm -r -f x',
      'rm x -fR',
      '/bin/rm --recurs --forc x',
      'sudo rm -vrf /',
      'r\'m\' -"rf" x',
    ],
    notMatch: ['rm -r build', 'rm -f a.txt', 'echo "rm -rf /"', 'rm -- -rf', 'git rm -rf --cached x'],
  },
  {
    id: 'rm-unread',
    decision: 'deny',
    contained: true,
    programs: ['rm', 'srm'],
    because: text(
      'a word of this rm is only known when it runs, and could be `-rf`',
      'この rm の引数の一部は実行するまで分からず、`-rf` になり得ます',
    ),
    suggestion: text(
      'Put `--` before it (`rm -- "$file"`), begin it with `./` (`rm ./*`), or write it out.',
      'その前に `--` を置く(`rm -- "$file"`)、`./` で始める(`rm ./*`)、または書き出してください。',
    ),
    fits: ({ args, input }, scene) => {
      const listed = input.pathsOnly();
      const options = removal(
        args.map((word) => (listed && word.isInput === 'paths' ? unknownWord(word.text, './') : word)),
        scene,
      );
      return options.unsure !== undefined && !(isRecursive(options) && isForced(options));
    },
    match: [
      'read -r x; rm "$x"',
      'rm *',
      'for f in *; do rm "$f"; done',
      'for f in *.bak; do rm $f; done',
      'for f in *.bak; do f=$(cat x); rm "$f"; done',
      'read -r opts; rm $opts dir',
      'echo -rf / | xargs rm',
      'rm {-r,-f} x',
      'find . -print0 | xargs rm',
      'find . -printf "-rf\\0" -print0 | xargs -0 rm',
      'find . -print0 | sort -z | xargs -0 rm',
    ],
    notMatch: [
      'rm -- "$x"',
      'rm -f "$TMPFILE"',
      'rm ./*',
      'rm *.o',
      'rm a.{o,d}',
      'f=a.txt; rm "$f"',
      'for f in *.bak; do rm "$f"; done',
      'tmp=$(mktemp); trap \'rm -f "$tmp"\' EXIT',
      'find . -name x -exec rm {} +',
      'find . -name "*.orig" -print0 | xargs -0 rm -f',
    ],
  },
  {
    id: 'rm-everything',
    decision: 'deny',
    contained: true,
    programs: [...removing, 'unlink'],
    because: text(
      'it would remove a root, a home, the workspace or a folder of the system',
      'ルート、ホーム、ワークスペース、またはシステムのフォルダーを削除します',
    ),
    suggestion: text(
      'Name the folder inside the workspace that you want to remove.',
      '削除するワークスペース内のフォルダーを指定してください。',
    ),
    fits: (use, scene) => {
      if (takesEachListed(use)) return true;
      const options = removal(use.args, scene);
      if (/^(s?rm|unlink)$/.test(use.program) && !isRecursive(options)) return false;
      return options.operands.some(
        (word) =>
          reachOf(word, scene) === 'everything' ||
          // These read wildcards themselves.
          (/^(rimraf|del-cli)$/.test(use.program) && /^[*./]+$/.test(word.value ?? '')),
      );
    },
    match: [
      'rm -r /',
      'rm -r /*',
      'rm -R ~',
      'rm -r "$HOME"',
      'rm -r .',
      'rm -r ../..',
      'rm -r //',
      'npx rimraf /',
      'rm -r /proc/self/cwd/*',
      'gio trash ~',
      'd=$(mktemp -d); rm -r "$d"/*',
      'rm --recursive /usr',
      'ln -s / r; rm -rf r/*',
      'ln -s "$PWD" r && rm -r r/',
      'cd sub && ln -sf .. up && rm -r up/*',
      'ln -st sub /; rm -r sub/*',
      'ln -s / a; ln -s a b; rm -r b/*',
      'git ls-files -z --others --cached | xargs -0 rm -f --',
    ],
    notMatch: [
      'rm -r build',
      'rm -r ./dist/',
      'rm -r -- node_modules',
      'npx rimraf dist',
      'rm -r build/*',
      'git ls-files -z --others --exclude-standard | xargs -0 rm -f --',
      'find build -type f -print0 | xargs -0 rm -f --',
      'rm -f -- $(git ls-files "*.orig")',
      'ln -s . self; rm -r self',
      'ln -s .. self; rm -r self/dist',
      'ln -sfn ../shared/config.json config.json && rm -r dist/*',
    ],
  },
  {
    id: 'rm-repository',
    decision: 'ask',
    contained: true,
    programs: [...removing, 'find', 'mv'],
    because: text(
      'it removes a repository, with everything that was never pushed',
      'プッシュされていないものも含め、リポジトリを削除します',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: (use, scene) => {
      const isRepository = (word: Word) =>
        (possibleValues(word, scene.variables) ?? [word.text]).some((value) =>
          /(^|\/)\.git["']?(\/(\*|objects|refs)?["']?)?$/i.test(value),
        );
      if (use.program === 'find') return removesFound(use) && use.args.some(({ value }) => value === '.git');
      // What is moved out of every root is gone with the session.
      if (use.program === 'mv') return use.args.some(isRepository) && isOutside(use.args.at(-1), scene);
      return removal(use.args, scene).operands.some(isRepository);
    },
    match: [
      'find . -name .git -exec rm -rf {} +',
      'rm -r .git',
      'rm -rf packages/a/.git/',
      'd=.git; rm -r "$d"',
      'rm -r .git/objects',
      'mv .git /tmp/gone',
    ],
    notMatch: [
      'rm -r build',
      'rm .git/index.lock',
      'mv .git .git.bak',
      'mv /tmp/x/.git .',
      'rm -r .github/old',
      "find . -not -path './.git/*' -empty -delete",
    ],
  },
  {
    id: 'rm-unknown-target',
    decision: 'deny',
    contained: true,
    programs: ['rm', 'srm', 'rimraf', 'trash'],
    because: text(
      'which folders it removes is only known when it runs',
      '中身ごと削除する対象が、実行するまで分かりません',
    ),
    suggestion: text('Write the path out.', 'パスを書き出してください。'),
    fits: (use, scene) => {
      const options = removal(use.args, scene);
      if (use.program !== 'rimraf' && use.program !== 'trash' && !isRecursive(options)) return false;
      return options.operands.some((word) => reachOf(word, scene) === 'unknown');
    },
    match: [
      'rm -r -- "$x"',
      'rm -r "$(cat list)"',
      'cd "$x"; rm -r build',
      'rm -r "$DIR/x"',
      'find "/$x" -name y -exec rm -r {} +',
      'find . ! -name y -exec rm -r {} +',
      'find . -name y -exec rm -r {}/.. \\;',
      'find . -name y -exec env rm -r {} +',
      'find . -name "*" -exec rm -r {} +',
      'find . -name y -o -type d -exec rm -r {} +',
    ],
    notMatch: [
      'rm -r build',
      'd=build; rm -r "$d"',
      'd=$(mktemp -d); rm -r "$d"',
      'rm -- "$x"',
      'rm -r {src,dist}/tmp',
      'find . -name __pycache__ -type d -exec rm -r {} +',
    ],
  },
];

/** Without recursion as well, all is gone when it is given each name that a listing prints of all that git keeps. */
function takesEachListed({ args, input }: Use): boolean {
  return args.some(({ isInput }) => isInput !== undefined) && input.allNames() && !input.foundOnly();
}
