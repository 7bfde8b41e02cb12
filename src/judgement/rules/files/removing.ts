import { text } from '../../../contract/text/text.ts';
import { hasOption, type Options, optionsNamed, readOptions } from '../../words/options.ts';
import { literalWord, type Word } from '../../words/word.ts';
import type { CommandRule, Use } from '../rule.ts';
import { isBeyond, wholeFolder } from './targets.ts';

/** Commands whose words delete more than anyone would intend. */
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
    fits: ({ args }) => {
      const options = readOptions(args);
      return isRecursive(options) && isForced(options);
    },
    examples: ['rm -rf build', 'rm -r --interactive=never x', 'rm -r -f x'],
  },
  {
    id: 'rm-everything',
    decision: 'deny',
    contained: true,
    programs: ['rm', 'srm', 'rimraf', 'trash', 'trash-put', 'gio', 'del-cli', 'find'],
    because: text(
      'it would remove a root, a home, the workspace or a folder of the system',
      'ルート、ホーム、ワークスペース、またはシステムのフォルダーを削除します',
    ),
    suggestion: text(
      'Name the folder inside the workspace that you want to remove.',
      '削除するワークスペース内のフォルダーを指定してください。',
    ),
    fits: (use, scene) => removed(use).some((word) => wholeFolder(word, scene) !== undefined),
    reachesBeyond: (use, scene) =>
      removed(use).some((word) => {
        const path = wholeFolder(word, scene);
        return path !== undefined && isBeyond(path, scene);
      }),
    examples: ['rm -r /', 'rm -r /*', 'rm -R ~'],
  },
];

/** The words that a command removes recursively. */
function removed(use: Use): readonly Word[] {
  const { program, args } = use;
  if (program !== 'find')
    return /^s?rm$/.test(program) && !isRecursive(readOptions(args)) ? [] : operandsOf(use);
  if (!deletesFound(args) || args.some(({ value }) => choosing.test(value ?? ''))) return [];
  const end = args.findIndex((word) => /^[-(!]/.test(word.prefix) && !/^-[HLPO]/.test(word.prefix));
  const starts = args.slice(0, end).filter((word) => !word.prefix.startsWith('-'));
  return starts.length === 0 ? [literalWord('.')] : starts;
}

function operandsOf({ program, args }: Use): readonly Word[] {
  const { operands } = readOptions(args);
  return program === 'gio' ? operands.slice(operands[0]?.value === 'trash' ? 1 : operands.length) : operands;
}

function deletesFound(args: readonly Word[]): boolean {
  return args.some(
    ({ value = '' }, at) =>
      value === '-delete' ||
      (/^-(exec|ok)/.test(value) && /(^|\/)(s?rm|unlink|shred)$/.test(args[at + 1]?.value ?? '')),
  );
}

/** Parts of find's expression that limit the matches. */
const choosing =
  /^-(i?(name|path|regex|wholename)|[acm](min|time)|newer.*|size|empty|user|group|perm|samefile|inum)$/;

function isRecursive(options: Options): boolean {
  return hasOption(options, 'rR', ['recursive']);
}

/** `--interactive=never` means force. */
function isForced(options: Options): boolean {
  return (
    hasOption(options, 'f', ['force']) ||
    optionsNamed(options, '', ['interactive']).some(
      ({ value }) => value !== undefined && /^(n|$)/.test(value.value ?? ''),
    )
  );
}
