import { superuserPrograms } from '../../../contract/superuser.ts';
import { text } from '../../../contract/text/text.ts';
import { hasSubcommand, operandsOf } from '../subcommands.ts';
import { readGitLine } from '../unwrap/git.ts';
import type { Word } from '../words.ts';
import { mayStayHere, pushNeed } from './needs.ts';
import type { CommandRule, Scene } from './rule.ts';

/** Commands of git with subcommands of their own, some of which send. */
const gitExtensions = new Set(['subtree', 'lfs', 'annex', 'flow', 'cl', 'stack', 'spice', 'town']);
const sends = /^(push|publish|sync|submit|upload|copy|move|finish)$/;

const person = text('A person must agree to it.', '人の同意が必要です。');

/** Commands that reach beyond the workspace and so need a person's word. */
export const askRules: readonly CommandRule[] = [
  {
    id: 'superuser',
    decision: 'ask',
    programs: superuserPrograms,
    because: text('it runs as another user', '別のユーザーとして実行します'),
    suggestion: text('Try without it, or let a person agree.', '使わずに試すか、人の同意を得てください。'),
    fits: ({ args }) => !onlyTells(args),
    needs: () => ({ kind: 'system' }),
    match: ['sudo ls', '/usr/bin/sudo -u www ls', 'su -c ls', 'doas ls', 'env sudo ls'],
    notMatch: ['grep -r sudo .', 'echo sudo', 'man su', 'sudo --version'],
  },
  {
    id: 'git-push',
    decision: 'ask',
    programs: ['git', 'jj', 'hg', 'svn', 'gh', 'glab'],
    because: text('it changes what others see', '他の人に見えるものを変更します'),
    suggestion: person,
    fits: ({ program, args }) => {
      if (program === 'git') {
        const { verb, rest } = readGitLine(args);
        return (
          verb !== undefined &&
          (verb.value === undefined ||
            /^(push|send-pack|send-email|svn|p4|http-push|imap-send|for-each-repo)$/.test(verb.value) ||
            (gitExtensions.has(verb.value) && rest.some((word) => sends.test(word.value ?? 'push'))))
        );
      }
      if (program === 'svn') return hasSubcommand(args, ['commit', 'ci', 'delete', 'import']);
      if (program === 'hg') return hasSubcommand(args, ['push', 'email']);
      const words = operandsOf(args).map((word) => word.value ?? '');
      if (program === 'jj') return words[0] === 'git' && words[1] === 'push';
      return (
        /^(create|merge|close|delete|edit|comment|review|rename|archive|upload|set|run|rerun|cancel|transfer|login|logout|lock|reopen|ready|sync|fork|add|remove|enable|disable|install|upgrade)$/.test(
          words[1] ?? '',
        ) || words[0] === 'api'
      );
    },
    needs: pushNeed,
    match: [
      'git push origin main',
      'git -C x push',
      'git -c user.name=a push',
      'git --no-pager push',
      'git subtree push --prefix=a origin main',
      'git lfs push origin main',
      '/usr/lib/git-core/git-push origin',
      'hub push',
      'gh extension install x',
      'gh pr create',
    ],
    notMatch: [
      'git status',
      'git log --grep push',
      'git stash push',
      'git lfs ls-files',
      'git subtree split --prefix=a',
      'git commit -m "push it"',
      'gh pr list',
    ],
  },
  {
    id: 'container',
    decision: 'ask',
    programs: [
      'docker',
      'docker.io',
      'crictl',
      'podman-remote',
      'docker-machine',
      'colima',
      'limactl',
      'podman',
      'nerdctl',
      'docker-compose',
      'podman-compose',
      'lxc',
      'lxd',
      'ctr',
      'buildah',
      'vagrant',
      'virsh',
    ],
    because: text('containers reach outside the sandbox', 'コンテナーはサンドボックスの外に届きます'),
    suggestion: person,
    fits: ({ args }) => !onlyTells(args),
    needs: ({ args }) =>
      args.some(({ prefix }) => /^-(H|c$|-host|-context)/.test(prefix)) ? undefined : { kind: 'daemon' },
    match: ['docker run -it alpine sh', 'podman ps', 'docker-compose up'],
    notMatch: ['cat docker-compose.yml', 'grep docker README.md', 'hadolint Dockerfile', 'docker --version'],
  },
  {
    id: 'cluster-delete',
    decision: 'ask',
    programs: ['kubectl', 'oc', 'helm', 'terraform', 'tofu', 'pulumi'],
    because: text('it removes or changes running systems', '稼働中のシステムを削除または変更します'),
    suggestion: person,
    fits: ({ args }) =>
      hasSubcommand(args, [
        'delete',
        'drain',
        'uninstall',
        'destroy',
        'apply',
        'replace',
        'scale',
        'exec',
        'edit',
        'patch',
        'rollout',
        'upgrade',
        'install',
        'up',
        'cordon',
        'taint',
        'del',
      ]),
    needs: ({ program, args }) =>
      /^(kubectl|oc|helm)$/.test(program) && !mayStayHere(args) ? { kind: 'network' } : undefined,
    match: [
      'kubectl delete pod x',
      'kubectl -n prod delete pod x',
      'kubectl --context a delete ns b',
      'helm uninstall x',
      'terraform destroy',
    ],
    notMatch: ['kubectl get pods', 'kubectl logs x', 'terraform plan', 'helm list'],
  },
  {
    id: 'kill',
    decision: 'ask',
    programs: ['kill', 'pkill', 'killall', 'skill', 'killall5', 'xkill', 'fuser', 'taskkill', 'tskill'],
    because: text('it ends processes', 'プロセスを終了させます'),
    suggestion: person,
    fits: ({ program, args }, scene) =>
      program === 'fuser'
        ? args.some((word) => word.value === undefined || /^(-\w*k|--kill)/.test(word.value))
        : !(
            program === 'kill' &&
            (/^-[lL]/.test(args[0]?.value ?? '') || onlyProbes(args) || endsOwnJobs(args, scene))
          ),
    match: [
      'kill 123',
      'pkill node',
      'killall -9 node',
      'command kill -9 1',
      'fuser -k 80/tcp',
      'kill %1 123',
      'kill %1 -1',
      'kill -- -1',
      'p=1; kill $p',
    ],
    notMatch: [
      'kill -l',
      'kill -0 "$pid"',
      'grep kill x',
      'npx kill-port 3000',
      'npm start & sleep 2; kill %1',
      'npm start & pid=$!; sleep 2; kill -TERM "$pid"',
      'npm start & kill $!',
    ],
  },
  {
    id: 'schedule',
    decision: 'ask',
    programs: ['crontab', 'at', 'batch', 'atrm', 'anacron', 'schtasks'],
    because: text('it makes commands run later', 'コマンドを後で実行するよう登録します'),
    suggestion: person,
    fits: ({ program, args }) => !(program === 'crontab' && args.length === 1 && args[0]?.value === '-l'),
    needs: () => ({ kind: 'system' }),
    match: ['crontab -e', 'crontab x', 'at now', 'crontab -r'],
    notMatch: ['crontab -l', 'cat crontab'],
  },
  {
    id: 'service',
    decision: 'ask',
    programs: [
      'systemctl',
      'service',
      'launchctl',
      'rc-service',
      'initctl',
      'systemd-run',
      'update-rc.d',
      'chkconfig',
      'rc-update',
      'sc',
      'sv',
      'supervisorctl',
    ],
    because: text(
      'it starts, stops or changes services of the system',
      'システムのサービスを開始、停止、または変更します',
    ),
    suggestion: person,
    fits: ({ program, args }) => !onlyTells(args) && !(program === 'systemctl' && onlyLooks(args)),
    needs: () => ({ kind: 'system' }),
    match: [
      'systemctl -H box status x',
      'systemctl status "$x"',
      'systemctl restart nginx',
      'service nginx stop',
      'launchctl load x',
      'systemd-run ls',
    ],
    notMatch: [
      'cat service.txt',
      'journalctl -u nginx',
      'systemctl --user status nginx',
      'systemctl --version',
    ],
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
    fits: ({ args }) => !(args.length === 1 && /^(-V|--version)$/.test(args[0]?.value ?? '')),
    needs: ({ args }) => (mayStayHere(args) ? undefined : { kind: 'network' }),
    match: ["ansible all -m shell -a 'ls'", 'ssh host ls', 'scp a host:b', 'sftp host', 'env A=b ssh host'],
    notMatch: ['ssh -V', 'ssh-keygen -l -f k', 'grep ssh x'],
  },
  {
    id: 'remote-copy',
    decision: 'ask',
    programs: ['rsync'],
    because: text('it copies to or from another machine', '別のマシンとの間でコピーします'),
    suggestion: person,
    fits: ({ args }) =>
      operandsOf(args).some((word) =>
        word.value === undefined ? !/^[./]/.test(word.prefix) : /^[^/]*:/.test(word.value),
      ),
    needs: ({ args }) => (mayStayHere(args) ? undefined : { kind: 'network' }),
    match: ['rsync -a . host:/x', 'rsync host::mod .', 'rsync rsync://h/x .', 'rsync a "$x"'],
    notMatch: ['rsync -a src/ dst/', 'rsync -a ./a:b c'],
  },
];

/** `kill -0` asks whether a process is there, and sends nothing. */
function onlyProbes([signal, ...targets]: readonly Word[]): boolean {
  return signal?.value === '-0' && !targets.some(({ value }) => value?.startsWith('-'));
}

/** It is asked for its version or its help and for nothing else. */
function onlyTells(args: readonly Word[]): boolean {
  return args.length === 1 && /^--(version|help)$/.test(args[0]?.value ?? '');
}

/** systemctl in one of its reading verbs, on this machine. */
function onlyLooks(args: readonly Word[]): boolean {
  const verb = args.find((word) => !word.prefix.startsWith('-'))?.value;
  return (
    /^(status|is-active|is-enabled|is-failed|show|cat|list-units|list-unit-files|list-timers|list-dependencies)$/.test(
      verb ?? '',
    ) &&
    args.every(
      ({ value }) =>
        value !== undefined &&
        (/^[^-]/.test(value) ||
          /^(-[aln]|--(no-pager|all|full|user|lines=\d+|type=\w+|state=\w+))$/.test(value)),
    )
  );
}

/** `kill %1`, `kill $!`, `kill "$pid"` after `pid=$!`: processes that this very command line started. */
function endsOwnJobs(args: readonly Word[], { variables }: Scene): boolean {
  const signalled = /^-[sn]$/.test(args[0]?.value ?? '') ? 2 : /^-\w+$/.test(args[0]?.value ?? '') ? 1 : 0;
  const targets = args.slice(signalled);
  return (
    targets.length > 0 &&
    targets.every((word) => {
      if (word.value !== undefined) return /^%[\w+%-]*$/.test(word.value);
      const [piece, ...more] = word.pieces;
      return more.length === 0 && piece?.kind === 'variable' && variables.isOwnJob(piece.name);
    })
  );
}
