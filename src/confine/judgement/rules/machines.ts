import { superuserPrograms } from '../../../contract/superuser.ts';
import { text } from '../../../contract/text/text.ts';
import { hasWord, onlyTells, operandsOf } from '../words/subcommands.ts';
import { mayStayHere } from './needs.ts';
import type { CommandRule } from './rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

/** Other users and other machines. */
export const machineRules: readonly CommandRule[] = [
  {
    id: 'superuser',
    decision: 'ask',
    programs: superuserPrograms,
    because: text('it runs as another user', '別のユーザーとして実行します'),
    suggestion: text('Try without it, or let a person agree.', '使わずに試すか、人の承認を得てください。'),
    fits: ({ args }) => !onlyTells(args),
    needs: () => ({ kind: 'system' }),
    match: ['sudo ls', '/usr/bin/sudo -u www ls', 'su -c ls', 'doas ls', 'env sudo ls'],
    notMatch: ['grep -r sudo .', 'echo sudo', 'man su', 'sudo --version'],
  },
  {
    id: 'system-settings',
    decision: 'ask',
    programs: [
      ...[
        'useradd',
        'userdel',
        'usermod',
        'adduser',
        'deluser',
        'groupadd',
        'groupdel',
        'groupmod',
        'addgroup',
      ],
      ...['delgroup', 'passwd', 'chpasswd', 'chage', 'gpasswd', 'visudo', 'vipw', 'chsh', 'chfn'],
      ...['iptables', 'ip6tables', 'nft', 'ufw', 'firewall-cmd', 'modprobe', 'insmod', 'rmmod', 'setenforce'],
    ],
    because: text(
      'it changes accounts, the firewall or the kernel of this machine',
      'このマシンのアカウント、ファイアウォール、またはカーネルを変更します',
    ),
    suggestion: person,
    fits: ({ program, args }) =>
      !hasWord(args, /^(-h|--help|-V|--version)$/) && !(looks[program]?.test(args[0]?.value ?? '') ?? false),
    needs: () => ({ kind: 'system' }),
    match: ['useradd x', 'passwd -d root', 'iptables -F', 'ufw disable', 'modprobe x', 'visudo'],
    notMatch: ['cat /etc/passwd', 'iptables -L -n', 'ufw status', 'nft list ruleset', 'passwd --help'],
  },
  {
    id: 'remote-shell',
    decision: 'ask',
    programs: [
      'ssh',
      'scp',
      'sftp',
      'mosh',
      'telnet',
      'rsh',
      'rlogin',
      'sshpass',
      'autossh',
      'ssh-copy-id',
      'sshfs',
      ...['ansible', 'ansible-playbook', 'salt', 'pdsh', 'clush', 'pssh', 'parallel-ssh', 'dsh', 'fab'],
    ],
    because: text('it works on another machine', '別のマシンで動作します'),
    suggestion: person,
    fits: ({ program, args }) =>
      !(args.length === 1 && /^(-V|--version)$/.test(args[0]?.value ?? '')) &&
      !(program === 'ansible-playbook' && hasWord(args, /^--(syntax-check|list-(hosts|tasks|tags))$/)),
    needs: ({ args }) => (mayStayHere(args) ? undefined : { kind: 'network' }),
    match: ["ansible all -m shell -a 'ls'", 'ssh host ls', 'scp a host:b', 'sftp host', 'env A=b ssh host'],
    notMatch: ['ssh -V', 'ansible-playbook --syntax-check site.yml', 'ssh-keygen -l -f k', 'grep ssh x'],
  },
  {
    id: 'remote-copy',
    decision: 'ask',
    programs: ['rsync'],
    because: text('it copies to or from another machine', '別のマシンとの間でコピーします'),
    suggestion: person,
    fits: ({ args }) =>
      (hasWord(args, /^--no-/) ||
        !hasWord(args, /^(--dry-run|-[avzrtlpogDhHAXPiuscxkKLOSW]*n[avzrtlpogDhHAXPiuscxkKLOSW]*)$/)) &&
      operandsOf(args).some((word) =>
        word.value === undefined ? !/^[./]/.test(word.prefix) : /^[^/]*:/.test(word.value),
      ),
    needs: ({ args }) => (mayStayHere(args) ? undefined : { kind: 'network' }),
    match: ['rsync -a . host:/x', 'rsync host::mod .', 'rsync rsync://h/x .', 'rsync a "$x"'],
    notMatch: ['rsync -a src/ dst/', 'rsync -a ./a:b c', 'rsync -avn a host:/x'],
  },
];

/** By program: first words with which it only shows something. */
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
