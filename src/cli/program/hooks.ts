import { Argument, type Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** The commands that clients start, and those that replace their own shell tools. */
export function addHooks(program: Command, exitWith: (code: number) => void, first?: string): void {
  withSettings(
    program
      .command('run [command...]')
      .description(
        'run a command like the tool bash, from the current folder: judged, sandboxed and recorded',
      ),
  ).action(async (words: string[], options: Options) => {
    const { run } = await import('../hook/run.ts');
    exitWith(await run(words, flagsOf(options)));
  });
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
    .action(async (client: string) => {
      const { hook } = await import('../hook/client.ts');
      exitWith(await hook([client, ...process.argv.slice(4)]));
    });
  // Started by the first hook, never by a person: help and completion leave it out.
  if (first !== 'hook-server') return;
  withSettings(program.command('hook-server'))
    .option('--socket <path>')
    .action(async (options: Options) => {
      const { serveHooks } = await import('../hook/server.ts');
      exitWith(await serveHooks(flagsOf(options), options));
    });
}
