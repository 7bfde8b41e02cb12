import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** `sekisho approve`. */
export function addApprovals(program: Command, exitWith: (code: number) => void): void {
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
    .action(async (ids: readonly string[], options: Options) => {
      if (options.watch) {
        const { watchQuestions } = await import('../approve/watch/watch.ts');
        exitWith(await watchQuestions(flagsOf(options)));
        return;
      }
      const { approve } = await import('../approve/approve.ts');
      exitWith(await approve(ids, flagsOf(options), options));
    });
  // The parent takes the options that both know, in any position.
  withSettings(approvals.command('grants').description('list standing approvals'))
    .option('--unused', 'only those unused for two weeks')
    .option('--json', 'print as JSON')
    .action(async (_options: Options, command: Command) => {
      const { listGrants } = await import('../approve/grants.ts');
      const options = command.optsWithGlobals();
      exitWith(await listGrants(flagsOf(options), options));
    });
  withSettings(approvals.command('revoke [id]').description('revoke a standing approval'))
    .option('--unused', 'revoke all that have been unused for two weeks')
    .action(async (id: string | undefined, _options: Options, command: Command) => {
      const { revokeGrants } = await import('../approve/grants.ts');
      const options = command.optsWithGlobals();
      exitWith(await revokeGrants(id, flagsOf(options), options));
    });
}
