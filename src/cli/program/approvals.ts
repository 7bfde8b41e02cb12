import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** `sekisho approve`. */
export function addApprovals(program: Command, exitWith: (code: number) => void): void {
  const approvals = withSettings(
    program
      .command('approve [id...]')
      .description('answer what calls are waiting for; without an id, list the questions'),
  )
    .option('--for <how>', 'allow this and its like so far, e.g. 1h, session, folder, always')
    .option('--until <date>', 'allow this and its like until then, e.g. 2027-01-31')
    .option('--session', 'allow this and its like for the rest of the session')
    .option('--always', 'allow this and its like from now on')
    .option('--deny', 'say no')
    .option('--instead <words>', 'say no, and what to do instead')
    .option('--watch', 'questions and calls on the whole screen, answered by keys')
    .option('--show', 'only show the question, and how far a yes may reach')
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
  // The parent takes the options that both know, wherever they stand.
  withSettings(approvals.command('grants').description('what is allowed beyond single calls'))
    .option('--unused', 'only what nothing has needed for two weeks')
    .option('--json', 'print as JSON')
    .action(async (_options: Options, command: Command) => {
      const { listGrants } = await import('../approve/grants.ts');
      const options = command.optsWithGlobals();
      exitWith(await listGrants(flagsOf(options), options));
    });
  withSettings(approvals.command('revoke [id]').description('take such a permission back'))
    .option('--unused', 'take back whatever nothing has needed for two weeks')
    .action(async (id: string | undefined, _options: Options, command: Command) => {
      const { revokeGrants } = await import('../approve/grants.ts');
      const options = command.optsWithGlobals();
      exitWith(await revokeGrants(id, flagsOf(options), options));
    });
}
