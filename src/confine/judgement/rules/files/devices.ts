import { text } from '../../../../contract/text/text.ts';
import { hasOption, readOptions } from '../../options.ts';
import { isDevice, reachOf } from '../../targets.ts';
import { literalWord, partOf, type Word } from '../../words.ts';
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
    fits: ({ args }, scene) => {
      const options = readOptions(
        args.map((word) => knownWord(word, scene)),
        { longValued: ['reference', 'from'] },
      );
      if (!options.unsure && !hasOption(options, 'R', ['recursive'])) return false;
      return options.operands.some((word) => changesAll(word, scene));
    },
    match: [
      'chmod -R 777 /',
      'chown -R me /',
      'chmod --recurs 777 /*',
      'chown me:me -R //',
      'chmod -R 777 ~',
      'chmod -R 777 "$x"',
    ],
    notMatch: ['chmod -R u+w .', 'chmod +x run.sh', 'chmod 644 /', 'chown -R me src'],
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
    because: text('it names a device of the machine', '機器のデバイスを指定しています'),
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
  if (reach !== 'everything') return reach === 'unknown' && !word.prefix;
  // The workspace itself may be changed: `chmod -R u+w .` is everyday.
  return !(word.value !== undefined && /^\.?\/?$/.test(word.value) && !word.value.startsWith('/'));
}

function operandValue(program: string, word: Word): Word {
  if (program !== 'dd') return word;
  if (word.prefix.startsWith('if=')) return literalWord('');
  return word.prefix.startsWith('of=') ? partOf(word, 3) : word;
}
