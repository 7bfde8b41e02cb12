import { text } from '../../../contract/text/text.ts';
import { hasOption, readOptions } from '../../words/options.ts';
import { partOf, type Word } from '../../words/word.ts';
import type { CommandRule, Use } from '../rule.ts';
import { deviceOf, isBeyond, wholeFolder } from './targets.ts';

/** Changes of mode and owner for whole folders, and writes to devices. */
export const deviceRules: readonly CommandRule[] = [
  {
    id: 'chmod-root',
    decision: 'deny',
    programs: ['chmod', 'chown', 'chgrp', 'setfacl', 'chattr', 'chcon'],
    because: text(
      'it would change modes or owners of a whole system or home',
      'システムまたはホーム全体の権限や所有者を変更します',
    ),
    suggestion: text(
      'Name the files or the folder in the workspace.',
      'ワークスペース内のファイルかフォルダーを指定してください。',
    ),
    fits: ({ args }, scene) => {
      const options = readOptions(args, { longValued: ['reference', 'from'] });
      if (!hasOption(options, 'R', ['recursive'])) return false;
      // The mode, owner or group comes first, unless it is taken from a file. The workspace itself may be changed.
      const paths = options.operands.slice(hasOption(options, '', ['reference']) ? 0 : 1);
      return paths.some((word) => {
        const path = wholeFolder(word, scene);
        return path !== undefined && (path === '/tmp' || isBeyond(path, scene));
      });
    },
    examples: ['chmod -R 777 /', 'chown -R me /', 'chmod --recurs 777 /*'],
  },
  {
    id: 'device-write',
    decision: 'deny',
    programs: [
      ...['tee', 'cp', 'mv', 'install', 'truncate', 'shred', 'sponge', 'ln', 'rsync', 'dd', 'pv', 'ddrescue'],
      ...['dcfldd', 'mknod', 'tar', 'bsdtar', 'find'],
    ],
    because: text('it writes to a device of the machine', 'マシンのデバイスに書き込みます'),
    suggestion: text('Write to a file in the workspace.', 'ワークスペース内のファイルに書き込んでください。'),
    fits: (use) => writtenBy(use).some((word) => deviceOf(word) !== undefined),
    examples: ['echo x > /dev/sda', 'cat x >/dev/../dev/nvme0n1', 'echo x >| //dev//sdb'],
  },
];

function writtenBy({ program, args }: Use): readonly Word[] {
  if (program === 'dd')
    return args.flatMap((word) => (word.prefix.startsWith('of=') ? [partOf(word, 3)] : []));
  if (program !== 'find') return args;
  return args.filter((_, at) => /^-f(print0?|printf|ls)$/.test(args[at - 1]?.value ?? ''));
}
