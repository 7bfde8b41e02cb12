import { text } from '../../../contract/text/text.ts';
import { readOptions } from '../words/options.ts';
import { operandsOf } from '../words/subcommands.ts';
import type { CommandRule } from './rule.ts';

/** Commands that stop the machine or erase its disks. */
export const systemRules: readonly CommandRule[] = [
  {
    id: 'machine-stop',
    decision: 'deny',
    programs: ['shutdown', 'reboot', 'halt', 'poweroff', 'kexec', 'pm-suspend', 'pm-hibernate'],
    because: text('it stops the machine', 'マシンを停止します'),
    suggestion: text('Leave that to the person at the machine.', 'マシンの前にいる人に任せてください。'),
    fits: () => true,
    match: ['shutdown now', '/sbin/reboot', 'sudo poweroff', 'nice -n 5 halt', "s'hutdown' -h now"],
    notMatch: ["git log --grep='shutdown'", 'man shutdown', 'grep -r reboot .', 'npm run shutdown'],
  },
  {
    id: 'init-level',
    decision: 'deny',
    programs: ['init', 'telinit'],
    because: text(
      'it stops the machine or changes its run level',
      'マシンを停止するか、ランレベルを変更します',
    ),
    suggestion: text('Leave that to the person at the machine.', 'マシンの前にいる人に任せてください。'),
    fits: ({ args }) => args.some((word) => word.value === undefined || /^[0-6sSuUqQ]$/.test(word.value)),
    match: ['init 0', 'init 6', 'telinit 6', 'sudo init 0', 'init "$x"'],
    notMatch: ['git init', 'npm init -y', 'init --help'],
  },
  {
    id: 'systemctl-stop-machine',
    decision: 'deny',
    programs: ['systemctl', 'loginctl'],
    because: text('it stops the machine', 'マシンを停止します'),
    suggestion: text('Leave that to the person at the machine.', 'マシンの前にいる人に任せてください。'),
    fits: ({ args }) =>
      args.some(
        (word) =>
          word.value === undefined ||
          /^(poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|rescue|emergency|exit|isolate|switch-root)$/.test(
            word.value,
          ) ||
          /^(poweroff|reboot|halt|kexec|rescue|emergency)\.target$/.test(word.value),
      ),
    match: [
      'systemctl reboot',
      'systemctl --no-wall poweroff',
      'systemctl isolate rescue.target',
      'loginctl poweroff',
      'systemctl $x',
    ],
    notMatch: ['systemctl status nginx', 'systemctl restart app'],
  },
  {
    id: 'disk-erase',
    decision: 'deny',
    programs: [
      ...[
        'format',
        'mkfs',
        'mke2fs',
        'mkswap',
        'mkdosfs',
        'mkntfs',
        'newfs',
        'wipefs',
        'blkdiscard',
        'fdisk',
        'sfdisk',
      ],
      ...[
        'cfdisk',
        'gdisk',
        'sgdisk',
        'cgdisk',
        'parted',
        'partprobe',
        'pvcreate',
        'pvremove',
        'vgremove',
        'lvremove',
      ],
      ...['diskpart', 'bcache', 'make-bcache', 'debugfs', 'tune2fs', 'resize2fs'],
    ],
    because: text('it formats or partitions a disk', 'ディスクをフォーマットまたは分割します'),
    suggestion: text(
      'Leave disks to the person at the machine.',
      'ディスクの操作はマシンの前にいる人に任せてください。',
    ),
    fits: () => true,
    match: [
      'mkfs.ext4 /dev/sda1',
      'mkfs -t ext4 x',
      'fdisk -l',
      '/usr/sbin/parted /dev/sda',
      'format c:',
      'FORMAT.COM d:',
    ],
    notMatch: ['npm run format', 'cargo fmt', 'clang-format -i x.c', 'git log --format=%H'],
  },
  {
    id: 'disk-tool',
    decision: 'deny',
    programs: [
      'diskutil',
      'cryptsetup',
      'zpool',
      'zfs',
      'mdadm',
      'nvme',
      'hdparm',
      'badblocks',
      'lvm',
      'btrfs',
      'sg_format',
    ],
    because: text('it erases or reformats a disk', 'ディスクを消去または再フォーマットします'),
    suggestion: text(
      'Leave disks to the person at the machine.',
      'ディスクの操作はマシンの前にいる人に任せてください。',
    ),
    fits: ({ args }) =>
      args.some(
        (word) =>
          word.value === undefined ||
          /^(erase.*|secureErase|partitionDisk|zeroDisk|randomDisk|reformat|apfs|luksFormat|luksErase|erase|destroy|labelclear|format|sanitize|--zero-superblock|--create|--security-erase.*|--trim-sector.*|-w|lvremove|vgremove|pvremove|rollback)$/i.test(
            word.value,
          ),
      ),
    match: [
      'diskutil eraseDisk JHFS+ X disk2',
      'zpool destroy tank',
      'cryptsetup luksFormat /dev/sda',
      'badblocks -w /dev/sda',
    ],
    notMatch: ['diskutil list', 'zpool status', 'zfs list', 'nvme list'],
  },
  {
    id: 'sysrq',
    decision: 'deny',
    programs: ['sysctl'],
    because: text('it changes how the kernel runs', 'カーネルの動作を変更します'),
    suggestion: text('Read settings with `sysctl NAME`.', '設定は `sysctl 名前` で読み取ってください。'),
    fits: ({ args }) => {
      const options = readOptions(args);
      return (
        options.unsure !== undefined ||
        operandsOf(args).some((word) => word.prefix.includes('=')) ||
        args.some((word) => /^(-[a-zA-Z]*[wpf]|--(write|load|system))/.test(word.prefix))
      );
    },
    match: ['sysctl -w kernel.sysrq=1', 'sysctl vm.drop_caches=3', 'sysctl --system'],
    notMatch: ['sysctl kernel.ostype', 'sysctl -a', 'sysctl -n hw.ncpu'],
  },
];
