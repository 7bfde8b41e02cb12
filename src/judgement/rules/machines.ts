import { superuserPrograms } from '../../contract/superuser.ts';
import { text } from '../../contract/text/text.ts';
import { hasWord, onlyTells, operandsOf } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

/** Commands that act as other users or on other machines. */
export const machineRules: readonly CommandRule[] = [
  {
    id: 'superuser',
    decision: 'ask',
    programs: superuserPrograms,
    because: text('it runs as another user', '別のユーザーとして実行します'),
    suggestion: text('Try without it, or let a person agree.', '使わずに試すか、人の承認を得てください。'),
    fits: ({ args }) => !onlyTells(args),
    needs: 'machine',
    examples: ['sudo ls', '/usr/bin/sudo -u www ls', 'su -c ls'],
  },
  {
    id: 'system-settings',
    decision: 'ask',
    programs: [
      ...'useradd userdel usermod adduser deluser groupadd groupdel groupmod addgroup delgroup'.split(' '),
      ...'passwd chpasswd chage gpasswd visudo vipw chsh chfn setenforce sysctl'.split(' '),
      ...'iptables ip6tables nft ufw firewall-cmd modprobe insmod rmmod'.split(' '),
    ],
    because: text(
      'it changes accounts, the firewall or the kernel of this machine',
      'このマシンのアカウント、ファイアウォール、またはカーネルを変更します',
    ),
    suggestion: person,
    fits: ({ program, args }) =>
      program === 'sysctl'
        ? setsKernel(args)
        : !hasWord(args, /^(-h|--help|-V|--version)$/) &&
          !(looks[program]?.test(args[0]?.value ?? '') ?? false),
    needs: 'machine',
    examples: ['sysctl -w kernel.sysrq=1', 'sysctl vm.drop_caches=3', 'sysctl --system'],
  },
  {
    id: 'remote-shell',
    decision: 'ask',
    programs: [
      ...'ssh scp sftp mosh telnet rsh rlogin sshpass autossh ssh-copy-id sshfs rsync'.split(' '),
      ...'ansible ansible-playbook salt pdsh clush pssh parallel-ssh dsh fab'.split(' '),
    ],
    because: text('it works on another machine', '別のマシンで動作します'),
    suggestion: person,
    fits: ({ program, args }) =>
      (program !== 'rsync' || copies(args)) &&
      !(args.length === 1 && /^(-V|--version)$/.test(args[0]?.value ?? '')) &&
      !(program === 'ansible-playbook' && hasWord(args, /^--(syntax-check|list-(hosts|tasks|tags))$/)),
    needs: 'hosts',
    examples: ['rsync -a . host:/x', 'rsync host::mod .', 'rsync rsync://h/x .'],
  },
];

/** By program: first words with which it only shows information. */
const looks: Readonly<Record<string, RegExp>> = {
  passwd: /^(-S|--status)$/,
  chage: /^(-l|--list)$/,
  visudo: /^(-c|--check)$/,
  iptables: /^(-L|-S|-nL|-nvL|--list|--list-rules)$/,
  ip6tables: /^(-L|-S|-nL|-nvL|--list|--list-rules)$/,
  nft: /^list$/,
  ufw: /^(status|version|show)$/,
  'firewall-cmd': /^--(list-[\w-]+|get-[\w-]+|state)$/,
  modprobe: /^(-n|--dry-run|-c|--showconfig)$/,
};

/** Does rsync copy to or from another machine? */
function copies(args: readonly Word[]): boolean {
  return (
    (hasWord(args, /^--no-/) ||
      !hasWord(args, /^(--dry-run|-[avzrtlpogDhHAXPiuscxkKLOSW]*n[avzrtlpogDhHAXPiuscxkKLOSW]*)$/)) &&
    operandsOf(args).some((word) =>
      word.value === undefined ? !/^[./]/.test(word.prefix) : /^[^/]*:/.test(word.value),
    )
  );
}

/** Does sysctl set something, and not only show it? */
function setsKernel(args: readonly Word[]): boolean {
  return args.some(({ prefix }) => /^(-[a-zA-Z]*[wpf]|--(write|load|system))|^[^-].*=/.test(prefix));
}
