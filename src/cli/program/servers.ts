import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** The commands for proxied servers, and their import from a client's settings. */
export function addServers(program: Command, exitWith: (code: number) => void): void {
  const server = program.command('server').description('manage proxied servers');
  withSettings(
    server.command('list').description('list their tools and what you need to review, without starting them'),
  )
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listServers } = await import('../server/server.ts');
      exitWith(await listServers(flagsOf(options), options));
    });
  withSettings(server.command('check [name]').description('start them and report their state'))
    .option('--json', 'print as JSON')
    .action(async (name: string | undefined, options: Options) => {
      const { checkServers } = await import('../server/server.ts');
      exitWith(await checkServers(name, flagsOf(options), options));
    });
  withSettings(
    server.command('approve <name>').description('review what changed in its tools and approve it'),
  )
    .option('--digest <digest>', 'approve exactly what was shown with this digest')
    .action(async (name: string, options: Options) => {
      const { approveServer } = await import('../server/server.ts');
      exitWith(await approveServer(name, flagsOf(options), options));
    });
  withSettings(
    server.command('login <name>').description('log in to a server that requires it, in your browser'),
  )
    .option('--scope <scopes>', 'request these scopes instead of those that the server names')
    .option('--no-browser', 'print the address instead of opening it')
    .action(async (name: string, options: Options) => {
      const { loginServer } = await import('../server/login.ts');
      exitWith(await loginServer(name, flagsOf(options), options));
    });
  withSettings(server.command('logout <name>').description('log out and delete the tokens')).action(
    async (name: string, options: Options) => {
      const { logoutServer } = await import('../server/login.ts');
      exitWith(await logoutServer(name, flagsOf(options)));
    },
  );
  withSettings(
    server.command('forget <name>').description('forget what you approved; the server is treated as new'),
  ).action(async (name: string, options: Options) => {
    const { forgetServer } = await import('../server/server.ts');
    exitWith(await forgetServer(name, flagsOf(options)));
  });
  program
    .command('import <from>')
    .description("import servers from claude, cursor, vscode, gemini, windsurf, zed or a client's FILE")
    .option('--out <file>', 'configuration file to write (default: in your configuration folder)')
    .option('--dry-run', 'only show what would be imported')
    .action(async (from: string, options: Options) => {
      const { importServers } = await import('../import.ts');
      exitWith(await importServers(from, options));
    });
}
