import type { Command } from 'commander';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** The commands that look back: list and undo the changes of tools, and summarize sessions and periods. */
export function addHistoryCommands(program: Command, run: Run): void {
  withSettings(program.command('history [path]').description('list what tools changed, newest first'))
    .option('--session <id>', 'only this session')
    .option('--since <time>', 'e.g. 10m, 2h, 7d')
    .option('--limit <number>', 'number of entries', '50')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../history.ts')).showHistory));
  withSettings(program.command('diff <entry>').description('show what a change did'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../history.ts')).showDiff));
  withSettings(
    program.command('story [session]').description('show what a session did, from its first call on'),
  )
    .option('--diff', 'also show the diff since the session began')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../look-back.ts')).showStory));
  withSettings(program.command('digest').description('summarize recent activity by session'))
    .option('--since <time>', 'e.g. 10m, 2h, 7d', '8h')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../look-back.ts')).showDigest));
  withSettings(
    program
      .command('undo [entry]')
      .description(
        'undo a change, a session or everything since a time; alone: the last call, after showing it',
      ),
  )
    .option('--call', 'undo everything that the same call changed')
    .option('--session <id>', 'undo all changes of a session')
    .option('--since <time>', 'undo all changes since, e.g. 10m, 2h')
    .option('--force', 'continue even if later changes are lost')
    .option('--yes', 'undo the last call without asking')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../undo.ts')).undo));
}
