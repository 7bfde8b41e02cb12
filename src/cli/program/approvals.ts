import type { Command } from 'commander';
import type { Flags } from '../../config/settings.ts';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

type Options = Readonly<Record<string, unknown>>;

/** `sekisho approve`. */
export function addApprovals(program: Command, run: Run): void {
  const approvals = withSettings(
    program.command('approve [id...]').description('answer waiting questions; without an id, list them'),
  )
    .option('--for <how>', 'allow this and similar calls, e.g. for 1h, session, folder or always')
    .option('--until <date>', 'allow this and similar calls until a date, e.g. 2027-01-31')
    .option('--session', 'allow this and similar calls for the rest of the session')
    .option('--always', 'allow this and similar calls from now on')
    .option('--deny', 'deny the call')
    .option('--instead <words>', 'deny the call and say what to do instead')
    .option('--watch', 'show questions and calls full-screen and answer by key')
    .option('--show', 'show the question and how far an answer can reach')
    .option('--json', 'print as JSON')
    .action(
      run(async () => async (ids: readonly string[], flags: Flags, options: Options) => {
        if (options.watch) return (await import('../approve/watch/watch.ts')).watchQuestions(flags);
        return (await import('../approve/approve.ts')).approve(ids, flags, options);
      }),
    );
  // The parent takes the options that both know, in any position.
  withSettings(approvals.command('grants').description('list standing approvals'))
    .option('--unused', 'only those unused for two weeks')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../approve/grants.ts')).listGrants));
  withSettings(approvals.command('revoke [id]').description('revoke a standing approval'))
    .option('--unused', 'revoke all that have been unused for two weeks')
    .action(run(async () => (await import('../approve/grants.ts')).revokeGrants));
}
