import { text } from '../../../../contract/text/text.ts';
import { isListing } from '../../listings.ts';
import { isDevice, pathsOf, reachOf } from '../../places/targets.ts';
import { hasOption, readOptions } from '../../words/options.ts';
import { literalWord, partOf, type Word } from '../../words/word.ts';
import type { CommandRule, Scene } from '../rule.ts';
import { knownWord } from './removal.ts';

/** Modes and owners of whole folders, and devices that are written to. */
export const deviceRules: readonly CommandRule[] = [
  {
    id: 'chmod-root',
    decision: 'deny',
    programs: ['chmod', 'chown', 'chgrp', 'setfacl', 'chattr', 'chcon'],
    because: text(
      'it would change modes or owners of a whole system, home or unknown folder',
      'システム、ホーム、または不明なフォルダー全体の権限や所有者を変更します',
    ),
    suggestion: text(
      'Name the files or the folder in the workspace.',
      'ワークスペース内のファイルかフォルダーを指定してください。',
    ),
    fits: ({ args, input }, scene) => {
      const isListed = input.foundOnly();
      const options = readOptions(
        args.map((word) =>
          (isListed && word.isInput !== undefined) || namesItself(word)
            ? { ...word, prefix: './' }
            : knownWord(word, scene),
        ),
        { longValued: ['reference', 'from'] },
      );
      if (!options.unsure && !hasOption(options, 'R', ['recursive'])) return false;
      // The mode, the owner or the group comes first.
      const [first, ...paths] = options.operands;
      const isPath = !first || first.prefix === '' || hasOption(options, '', ['reference']);
      return (isPath && first ? options.operands : paths).some((word) => changesAll(word, scene));
    },
    match: [
      'chmod -R 777 /',
      'chown -R me /',
      'chmod --recurs 777 /*',
      'chown me:me -R //',
      'chmod -R 777 ~',
      'chmod -R 777 "$x"',
      'cd / && chmod -R 777 .',
      'read -r x; chmod $x src',
    ],
    notMatch: [
      'chmod -R u+w .',
      'chmod -R a+rX *',
      'chmod +x run.sh',
      'chmod 644 /',
      'chown -R me src',
      'chown "$USER" x',
      'find . -type f | xargs chmod 644',
    ],
  },
  {
    id: 'device-operand',
    decision: 'deny',
    programs: [
      'tee',
      'cp',
      'mv',
      'install',
      'truncate',
      'shred',
      'sponge',
      'ln',
      'rsync',
      'dd',
      'pv',
      'ddrescue',
      'dcfldd',
      'mknod',
      'tar',
      'bsdtar',
      'find',
    ],
    because: text('it names a device of the machine', 'マシンのデバイスを指定しています'),
    suggestion: text('Write to a file in the workspace.', 'ワークスペース内のファイルに書き込んでください。'),
    fits: ({ program, args }, scene) =>
      args.some(
        (word, at) =>
          (program !== 'find' || /^-f(print0?|printf|ls)$/.test(args[at - 1]?.value ?? '')) &&
          isDevice(operandValue(program, word), scene, program === 'dd' ? 'of=' : '') !== undefined,
      ),
    match: [
      'tee /dev/sda',
      'cp x /dev/nvme0n1',
      'dd if=/dev/zero of=/dev/sda',
      'dd of=/dev/../dev/sdb',
      'shred /dev/sda',
      'x=/dev/sda; tee $x',
      'find . -fprintf /dev/sda x',
      'tar cf /dev/sda .',
      'tee /proc/self/root/dev/sda',
    ],
    notMatch: [
      'dd if=/dev/zero of=disk.img',
      'tee /dev/stderr',
      'cp x /dev/null',
      'tar czf - . | cat',
      'find /dev/disk -name x',
      'dd if=/dev/urandom of=x bs=1 count=1',
    ],
  },
];

function changesAll(word: Word, scene: Scene): boolean {
  const reach = reachOf(word, scene);
  const isNamed = word.prefix !== '' && (word.isInput !== undefined || word.pieces[0]?.kind !== 'variable');
  if (reach !== 'everything') return reach === 'unknown' && !isNamed;
  // The workspace itself may be changed: `chmod -R u+w .` is everyday.
  if (word.value === undefined && !/^(\.\/)?\*$/.test(word.text)) return true;
  const paths = pathsOf(word, scene);
  return !paths?.every((path) => scene.roots.some((root) => path === root || path.startsWith(`${root}/`)));
}

/** `$(whoami)`, `$(which node)`, `$(find bin -type f)`: plain words, none of which is an option. */
function namesItself(word: Word): boolean {
  if (word.pieces.length === 1 && word.pieces.every(isListing)) return true;
  return /^"?\$\((whoami|logname|id -u?n?|id -gn?|which [\w.+-]+|command -v [\w.+-]+)\)"?(:"?(\$\(id -gn?\))?"?)?$/.test(
    word.text,
  );
}

function operandValue(program: string, word: Word): Word {
  if (program !== 'dd') return word;
  if (word.prefix.startsWith('if=')) return literalWord('');
  return word.prefix.startsWith('of=') ? partOf(word, 3) : word;
}
