import { text } from '../../../../contract/text/text.ts';
import { reachOf } from '../../places/targets.ts';
import { hasOption, type Options, readOptions } from '../../words/options.ts';
import { hasWord } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';
import type { CommandRule, Scene, Use } from '../rule.ts';

/** Commands that carry away, mirror over or pack up more than anybody meant. */
export const moveRules: readonly CommandRule[] = [
  {
    id: 'move-everything',
    decision: 'deny',
    contained: true,
    programs: ['mv', 'rsync', 'tar', 'bsdtar', 'zip', '7z', '7za'],
    because: text(
      'it would move away or empty a root, a home, the workspace or a folder of the system',
      'ルート、ホーム、ワークスペース、またはシステムのフォルダーを移動または空にします',
    ),
    suggestion: text(
      'Name the folder inside the workspace that you mean.',
      '対象とするワークスペース内のフォルダーを指定してください。',
    ),
    fits: (use, scene) => {
      switch (use.program) {
        case 'mv':
          return movesAll(use, scene);
        case 'rsync':
          return mirrorsOverAll(use, scene);
        default:
          return packsUpAll(use, scene);
      }
    },
    match: [
      'mv / x',
      'mv /* x',
      'mv ~ /tmp/x',
      'mv -t x /etc',
      'mv "$HOME"/* x',
      'mv * /tmp',
      'mv -t /tmp/x ./*',
      'rsync -a --delete empty/ /',
      'rsync -r --del a/ ~/',
      'rsync -a --delete-after empty/ .',
      'rsync -a --remove-source-files ./ /tmp/x',
      'tar -cf /tmp/x.tar --remove-files *',
      'tar czf x.tgz --remove src .',
      'zip -rm /tmp/all.zip .',
      '7z a -sdel all.7z *',
    ],
    notMatch: [
      'mv * x/',
      'mv ./* ..',
      'mv /tmp/*.log .',
      'mv ~/Downloads/a.zip .',
      'mv a /tmp',
      'mv *.log /tmp',
      'rsync -a --delete src/ dst/',
      'rsync -a / x',
      'rsync -an --delete a/ .',
      'tar -cf x.tar --remove-files logs',
      'tar czf x.tgz .',
      'zip -r all.zip .',
      'zip -rm logs.zip logs',
    ],
  },
];

function movesAll({ args }: Use, scene: Scene): boolean {
  const options = readOptions(args, { valued: 'tS', longValued: ['target-directory', 'suffix'] });
  const named = options.given.find(({ name, long }) => (long ? /^t/.test(name) : name === 't'))?.value;
  const sources = named ? options.operands : options.operands.slice(0, -1);
  const target = named ?? options.operands.at(-1);
  return sources.some(
    (word) =>
      isWholeByName(word, scene) ||
      (isOutside(target, scene) && reachOf(word, scene) === 'everything' && !isTemporary(word)),
  );
}

/** A folder by its full name that no root holds. */
export function isOutside(target: Word | undefined, { roots }: Scene): boolean {
  const value = target?.value ?? '';
  return /^[/~]/.test(value) && !roots.some((root) => `${value}/`.startsWith(`${root}/`));
}

function isTemporary({ text: written }: Word): boolean {
  return /^["']?\/tmp\//.test(written);
}

function mirrorsOverAll({ args }: Use, scene: Scene): boolean {
  const options = readOptions(args, { valued: 'eBfMT', longValued: ['rsh', 'exclude', 'include', 'filter'] });
  if (hasOption(options, 'n', ['dry-run'])) return false;
  const target = options.operands.at(-1);
  const isWhole = (word: Word | undefined) =>
    word !== undefined &&
    (isWholeByName(word, scene) ||
      (/^\.?\/?$/.test(word.value ?? '?') && reachOf(word, scene) === 'everything'));
  const deletes = options.given.some(
    ({ name, long }) => long && /^del(ete(-before|-during|-delay|-after|-excluded)?)?$/.test(name),
  );
  const removes = options.given.some(
    ({ name, long }) => long && 'remove-source-files'.startsWith(name) && name.length > 3,
  );
  return (deletes && isWhole(target)) || (removes && options.operands.slice(0, -1).some(isWhole));
}

/** An archive that takes the files away from where they were. */
function packsUpAll({ program, args }: Use, scene: Scene): boolean {
  const options: Options = readOptions(args, {
    valued: program === 'zip' ? 'bnst' : 'fCTXbKNHgVI',
    longValued: ['file', 'directory', 'exclude', 'use-compress-program'],
  });
  const takes =
    program === 'zip'
      ? hasOption(options, 'm', ['move'])
      : program.startsWith('7')
        ? hasWord(args, /^-sdel$/)
        : options.given.some(({ name, long }) => long && name.length > 3 && 'remove-files'.startsWith(name));
  const packed = program === 'tar' || program === 'bsdtar' ? options.operands : options.operands.slice(1);
  return takes && packed.some((word) => reachOf(word, scene) === 'everything');
}

/** Names such a folder, or all that is in it, from the root or a home: what `*` stands for is the caller's own folder. */
function isWholeByName(word: Word, scene: Scene): boolean {
  if (!/^["']?([/~]|\$\{?HOME\b)/.test(word.text) || isTemporary(word)) return false;
  return reachOf(word, scene) === 'everything';
}
