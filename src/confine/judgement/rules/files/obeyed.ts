import { text } from '../../../../contract/text/text.ts';
import { expandBraces } from '../../../../ground/glob/braces.ts';
import { unicodeClasses } from '../../../../ground/glob/classes.ts';
import { compileGlob } from '../../../../ground/glob/match.ts';
import { obeyedLater } from '../../../../ground/obeyed-later.ts';
import { obeyedNames } from '../../../../ground/obeyed-names.ts';
import { pathsOf } from '../../places/targets.ts';
import { hasOption, optionsNamed, readOptions } from '../../words/options.ts';
import { hasTilde, partOf, type Word } from '../../words/word.ts';
import type { CommandRule, Scene, Use } from '../rule.ts';

const writers = ['tee', 'cp', 'mv', 'ln', 'install', 'rsync', 'sed', 'touch', 'dd', 'sponge'];

/** Commands that write, by its name, what programs outside of the walls obey. Redirections are held against the same. */
export const obeyedRules: readonly CommandRule[] = [
  {
    id: 'protected-name',
    decision: 'deny',
    programs: writers,
    because: text(
      'it writes a file that git, an editor or the server itself acts on outside the sandbox',
      'git、エディター、またはこのサーバー自身がサンドボックスの外で使うファイルに書き込みます',
    ),
    suggestion: text('A person has to write that.', '人が書いてください。'),
    fits: (use, scene) => written(use).some((word) => isProtected(word, scene)),
    match: [
      'tee .git/hooks/pre-commit',
      'cp evil .git/hooks/pre-push',
      'echo x >> .git/config',
      'ln -s /tmp/x sub/.git/hooks/post-checkout',
      'echo x > .vscode/tasks.json',
      'cd .vscode && echo x > tasks.json',
      'sed -i s/a/b/ sekisho.json',
      'cp -t .git/hooks evil',
      'cp /dev/null .git/index',
      'dd if=/dev/zero of=.git/index',
    ],
    notMatch: [
      'cat .git/config',
      'cp .vscode/settings.json /tmp/x',
      'echo x > .gitignore',
      'sed -n 1p .git/config',
      'echo x >> ~/.bashrc',
      'rm .git/index.lock',
    ],
  },
  {
    id: 'obeyed-later',
    decision: 'ask',
    contained: true,
    programs: writers,
    because: text(
      'it writes a file that later runs outside the sandbox without a question: an editor, a hook, a shell or an agent acts on it',
      '後でサンドボックスの外で、確認なしに実行されるファイルを書き込みます。エディター、フック、シェル、またはエージェントが使います',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: (use, scene) => written(use).some((word) => isObeyed(word, scene)),
    match: [
      'echo x > .husky/pre-commit',
      'tee .envrc',
      'cp a .claude/commands/b.md',
      'mv x .idea/workspace.xml',
      'echo x >> ~/.bashrc',
      'tee -a "$HOME/.zshrc"',
      'cat k.pub >> ~/.ssh/authorized_keys',
    ],
    notMatch: [
      'cat .envrc',
      'echo x > .env',
      'cp .husky/pre-commit /tmp',
      'touch ~/notes.txt',
      'cat ~/.bashrc',
      'tee .eslintrc',
    ],
  },
];

/** What must not be written by whoever agrees, as no tool writes it either. */
export function isProtected(word: Word, scene: Scene): boolean {
  return reaches(word, scene, (path) => lists().refused.some((fits) => fits(path)));
}

/** What a person must be asked about before it is written. Without walls that is the person's own home as well. */
export function isObeyed(word: Word, scene: Scene): boolean {
  if (!scene.confinement) {
    const path = /^["']?(?:~|\$HOME|\$\{HOME\})["']?\/(.+?)["']?$/.exec(word.text)?.[1]?.toLowerCase();
    if (path && [...lists().asked, ...lists().refused].some((fits) => fits(path))) return true;
  }
  return reaches(word, scene, (path) => lists().asked.some((fits) => fits(path)));
}

/** Most words name nothing of the kind, and are not resolved. */
const mayBeMeant =
  /(^|[/"'=])\.[A-Za-z]|sekisho\.json|lefthook|mise|rust-toolchain|\.code-workspace|\.simple-git-hooks/i;

function reaches(word: Word, scene: Scene, fits: (path: string) => boolean): boolean {
  // Commands have a home of their own.
  if (hasTilde(word) || /^["']?\$\{?HOME\b/.test(word.text)) return false;
  const isSaid = mayBeMeant.test(word.text) || word.pieces.some(({ kind }) => kind === 'variable');
  if (!isSaid && !scene.folders?.some((folder) => mayBeMeant.test(folder))) return false;
  return (pathsOf(word, scene) ?? []).some((path) =>
    scene.roots.some(
      (root) => path.startsWith(`${root}/`) && fits(path.slice(root.length + 1).toLowerCase()),
    ),
  );
}

/** The files that a command writes, as its words say. */
function written({ program, args }: Use): readonly Word[] {
  switch (program) {
    case 'tee':
    case 'sponge':
    case 'touch':
      return readOptions(args, { valued: program === 'touch' ? 'drt' : '' }).operands;
    case 'dd':
      return args.flatMap((word) => (word.prefix.startsWith('of=') ? [partOf(word, 3)] : []));
    case 'sed': {
      const options = readOptions(args, { valued: 'efl', longValued: ['expression', 'file'] });
      // The first is the script, unless an option gives one.
      const isGiven = hasOption(options, 'e', ['expression']) || hasOption(options, 'f', ['file']);
      return hasOption(options, 'i', ['in-place']) ? options.operands.slice(isGiven ? 0 : 1) : [];
    }
    default: {
      const options = readOptions(args, {
        valued: 'tSmog',
        longValued: ['target-directory', 'suffix', 'mode'],
      });
      const folder = optionsNamed(options, 't', ['target-directory'])[0]?.value;
      const target = folder ?? options.operands.at(-1);
      return target && (folder || options.operands.length > 1) ? [target] : [];
    }
  }
}

let compiled: { readonly asked: readonly Fits[]; readonly refused: readonly Fits[] } | undefined;

type Fits = (path: string) => boolean;

function lists() {
  compiled ??= {
    asked: obeyedLater.map(({ paths }) => fitsGlob(paths)),
    refused: [
      ...obeyedNames,
      '.git/hooks',
      '.git/config',
      '.git/info/attributes',
      '.git/{HEAD,index,packed-refs,objects,refs}',
    ].map((name) => fitsGlob(`**/${name}/**`)),
  };
  return compiled;
}

function fitsGlob(pattern: string): Fits {
  const globs = [...expandBraces(pattern.toLowerCase())].flatMap((one) =>
    [one, ...(one.endsWith('/**') ? [one.slice(0, -3)] : [])].map((glob) =>
      compileGlob(glob, { wideInNames: true, classes: unicodeClasses }),
    ),
  );
  return (path) => globs.some((fits) => fits(path));
}
