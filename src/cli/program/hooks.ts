import { Argument, type Command } from 'commander';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** The commands that clients start, and those that replace their own shell tools. */
export function addHooks(program: Command, run: Run): void {
  withSettings(
    program
      .command('run [command...]')
      .description(
        'run a command like the tool bash, from the current folder: judged, sandboxed and recorded',
      ),
  ).action(run(async () => (await import('../hook/run.ts')).run));
  withSettings(
    program
      .command('hook')
      .description(
        "decide whether a client's own tool may run; the client's hook starts this, with the event on stdin",
      ),
  )
    .addArgument(
      new Argument('<client>', 'whose hook it is').choices(['claude', 'codex', 'gemini', 'cursor']),
    )
    .action(
      run(async () => {
        const { hook } = await import('../hook/client.ts');
        return (client: string) => hook([client, ...process.argv.slice(4)]);
      }),
    );
}
