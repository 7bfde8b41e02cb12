import { text } from '../../../contract/text/text.ts';
import { onlyTells } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule, Scene } from './rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

/** Processes and services beside the command's own, now and later. */
export const processRules: readonly CommandRule[] = [
  {
    id: 'kill',
    decision: 'ask',
    programs: ['kill', 'pkill', 'killall', 'skill', 'killall5', 'xkill', 'fuser', 'taskkill', 'tskill'],
    because: text('it ends processes', 'プロセスを終了させます'),
    suggestion: person,
    fits: ({ program, args }, scene) =>
      // In a sandbox there are no processes but the session's own.
      scene.confinement && scene.dialect === 'plain'
        ? false
        : program === 'fuser'
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
    because: text('it schedules commands to run later', 'コマンドを後で実行するよう登録します'),
    suggestion: person,
    fits: ({ program, args }) =>
      !(/^(crontab|at)$/.test(program) && args.length === 1 && args[0]?.value === '-l'),
    needs: () => ({ kind: 'system' }),
    match: ['crontab -e', 'crontab x', 'at now', 'crontab -r'],
    notMatch: ['crontab -l', 'at -l', 'cat crontab'],
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
    fits: ({ program, args }) => !onlyTells(args) && !onlyLooks(program, args),
    needs: () => ({ kind: 'system' }),
    match: [
      'systemctl -H box status x',
      'systemctl status "$x"',
      'systemctl restart nginx',
      'service nginx stop',
      'service status start',
      'launchctl load x',
      'systemd-run ls',
    ],
    notMatch: [
      'cat service.txt',
      'journalctl -u nginx',
      'systemctl --user status nginx',
      'systemctl --version',
      'systemctl --failed',
      'service nginx status',
      'service --status-all',
    ],
  },
];

/** `kill -0` asks whether a process is there, and sends nothing. */
function onlyProbes([signal, ...targets]: readonly Word[]): boolean {
  return signal?.value === '-0' && !targets.some(({ value }) => value?.startsWith('-'));
}

/** The service manager in one of its reading verbs, on this machine. */
function onlyLooks(program: string, args: readonly Word[]): boolean {
  const [first, second, ...more] = args.map(({ value }) => value ?? '');
  if (program === 'service' || program === 'rc-service')
    return first === '--status-all' || (second === 'status' && more.length === 0);
  if (program === 'supervisorctl' || program === 'sv') return first === 'status';
  if (program === 'launchctl') return first === 'list' || first === 'print';
  if (program !== 'systemctl') return false;
  const verb = args.find((word) => !word.prefix.startsWith('-'))?.value ?? 'list-units';
  return (
    /^(status|is-active|is-enabled|is-failed|is-system-running|get-default|show|cat|list-\w+(-\w+)?)$/.test(
      verb,
    ) &&
    args.every(
      ({ value }) =>
        value !== undefined &&
        (/^[^-]/.test(value) ||
          /^(-[aln]|--(no-pager|no-legend|plain|quiet|all|full|failed|user|system|lines=\d+|type=\w+|state=\w+))$/.test(
            value,
          )),
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
