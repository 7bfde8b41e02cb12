import { text } from '../../contract/text/text.ts';
import { onlyTells } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

const schedulers: readonly string[] = ['crontab', 'at', 'batch', 'atrm', 'anacron', 'schtasks'];

/** Processes and services other than the command's own, now or later. */
export const processRules: readonly CommandRule[] = [
  {
    id: 'kill',
    decision: 'ask',
    programs: ['kill', 'pkill', 'killall', 'skill', 'killall5', 'xkill', 'fuser', 'taskkill', 'tskill'],
    because: text('it ends processes', 'プロセスを終了させます'),
    suggestion: person,
    fits: ({ program, args }, scene) =>
      // A sandbox shows only the session's own processes.
      scene.confinement && scene.dialect === 'plain'
        ? false
        : program === 'fuser'
          ? args.some((word) => word.value === undefined || /^(-\w*k|--kill)/.test(word.value))
          : !(
              program === 'kill' &&
              (/^-[lL]/.test(args[0]?.value ?? '') || onlyProbes(args) || endsOwnJobs(args))
            ),
    examples: ['kill 123', 'pkill node', 'killall -9 node'],
  },
  {
    id: 'service',
    decision: 'ask',
    programs: [
      ...schedulers,
      ...'systemctl service launchctl rc-service initctl systemd-run update-rc.d chkconfig'.split(' '),
      ...'rc-update sc sv supervisorctl'.split(' '),
    ],
    because: text(
      'it starts, stops, schedules or changes what the system runs',
      'システムが実行するものを開始、停止、予約、または変更します',
    ),
    suggestion: person,
    fits: ({ program, args }) => !onlyTells(args) && !onlyLooks(program, args),
    needs: 'machine',
    examples: ['crontab -e', 'crontab x', 'at now'],
  },
];

/** `kill -0` only checks whether a process exists. */
function onlyProbes([signal, ...targets]: readonly Word[]): boolean {
  return signal?.value === '-0' && !targets.some(({ value }) => value?.startsWith('-'));
}

/** A reading verb of the service manager, on this machine. */
function onlyLooks(program: string, args: readonly Word[]): boolean {
  const [first, second, ...more] = args.map(({ value }) => value ?? '');
  if (schedulers.includes(program))
    return /^(crontab|at)$/.test(program) && first === '-l' && args.length === 1;
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

/** `kill %1`, `kill $!`, `kill "$pid"` after `pid=$!`: processes that this command line itself started. */
function endsOwnJobs(args: readonly Word[]): boolean {
  const signalled = /^-[sn]$/.test(args[0]?.value ?? '') ? 2 : /^-\w+$/.test(args[0]?.value ?? '') ? 1 : 0;
  const targets = args.slice(signalled);
  return targets.length > 0 && targets.every(({ value }) => /^(%[\w+%-]*|\$!)$/.test(value ?? ''));
}
