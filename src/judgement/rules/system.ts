import { text } from '../../contract/text/text.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

/** Disk tools that only read, unless one of their words erases. */
const diskTools: readonly string[] =
  'diskutil cryptsetup zpool zfs mdadm nvme hdparm badblocks lvm btrfs sg_format'.split(' ');

/** Commands that stop the machine or erase its disks. */
export const systemRules: readonly CommandRule[] = [
  {
    id: 'machine-stop',
    decision: 'deny',
    programs: [
      ...['shutdown', 'reboot', 'halt', 'poweroff', 'kexec', 'pm-suspend', 'pm-hibernate'],
      ...['init', 'telinit', 'systemctl', 'loginctl'],
    ],
    because: text('it stops the machine', 'マシンを停止します'),
    suggestion: text('Leave that to the person at the machine.', 'マシンの前にいる人に任せてください。'),
    fits: ({ program, args }) => stops(program, args),
    examples: ['init 0', 'init 6', 'telinit 6'],
  },
  {
    id: 'disk-erase',
    decision: 'deny',
    programs: [
      ...'format mkfs mke2fs mkswap mkdosfs mkntfs newfs wipefs blkdiscard fdisk sfdisk'.split(' '),
      ...'cfdisk gdisk sgdisk cgdisk parted partprobe pvcreate pvremove vgremove lvremove'.split(' '),
      ...diskTools,
      ...['diskpart', 'bcache', 'make-bcache', 'debugfs', 'tune2fs', 'resize2fs'],
    ],
    because: text('it formats or partitions a disk', 'ディスクをフォーマットまたは分割します'),
    suggestion: text(
      'Leave disks to the person at the machine.',
      'ディスクの操作はマシンの前にいる人に任せてください。',
    ),
    fits: ({ program, args }) => !diskTools.includes(program) || args.some(erases),
    examples: ['diskutil eraseDisk JHFS+ X disk2', 'zpool destroy tank', 'cryptsetup luksFormat /dev/sda'],
  },
];

function stops(program: string, args: readonly Word[]): boolean {
  if (/^(init|telinit)$/.test(program)) return args.some(({ value }) => /^[0-6sSuUqQ]$/.test(value ?? '0'));
  if (!/^(system|login)ctl$/.test(program)) return true;
  return args.some(({ value }) => verbs.test(value ?? 'halt') || targets.test(value ?? ''));
}

const verbs =
  /^(poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|rescue|emergency|exit|isolate|switch-root)$/;
const targets = /^(poweroff|reboot|halt|kexec|rescue|emergency)\.target$/;

function erases({ value }: Word): boolean {
  return erasing.test(value ?? 'erase');
}

const erasing =
  /^(erase.*|secureErase|partitionDisk|zeroDisk|randomDisk|reformat|apfs|luksFormat|luksErase|erase|destroy|labelclear|format|sanitize|--zero-superblock|--create|--security-erase.*|--trim-sector.*|-w|lvremove|vgremove|pvremove|rollback)$/i;
