import { text } from '../../../contract/text/text.ts';
import { hasOption, readOptions } from '../options.ts';
import { reachOf } from '../targets.ts';
import type { Word } from '../words.ts';
import type { CommandRule, Scene } from './rule.ts';

/** Commands that carry away or mirror over more than anybody meant. */
export const moveRules: readonly CommandRule[] = [
  {
    id: 'move-everything',
    decision: 'deny',
    programs: ['mv', 'rsync'],
    because: text(
      'it would move away or empty a root, a home, the workspace or a folder of the system',
      'ルート、ホーム、ワークスペース、またはシステムのフォルダーを移動または空にします',
    ),
    suggestion: text(
      'Name the folder inside the workspace that is meant.',
      '対象とするワークスペース内のフォルダーを指定してください。',
    ),
    fits: ({ program, args }, scene) => {
      const options = readOptions(args, {
        valued: program === 'mv' ? 'tS' : '',
        longValued: ['target-directory', 'suffix'],
      });
      if (program === 'mv') {
        const named = hasOption(options, 't', ['target-directory']) ? undefined : -1;
        return options.operands.slice(0, named).some((word) => isWholeByName(word, scene));
      }
      const deletes = options.given.some(
        ({ name, long }) => long && /^del(ete(-before|-during|-delay|-after|-excluded)?)?$/.test(name),
      );
      const target = options.operands.at(-1);
      return deletes && target !== undefined && isWholeByName(target, scene);
    },
    match: [
      'mv / x',
      'mv /* x',
      'mv ~ /tmp/x',
      'mv -t x /etc',
      'mv "$HOME"/* x',
      'rsync -a --delete empty/ /',
      'rsync -r --del a/ ~/',
    ],
    notMatch: [
      'mv * x/',
      'mv ./* ..',
      'mv /tmp/*.log .',
      'mv ~/Downloads/a.zip .',
      'mv a /tmp',
      'rsync -a --delete src/ dst/',
      'rsync -a / x',
    ],
  },
];

/** Names such a folder, or all that is in it, from the root or a home: what `*` stands for is the caller's own folder. */
function isWholeByName(word: Word, scene: Scene): boolean {
  if (!/^["']?([/~]|\$\{?HOME\b)/.test(word.text) || /^["']?\/tmp\//.test(word.text)) return false;
  return reachOf(word, scene) === 'everything';
}
