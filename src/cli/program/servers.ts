import type { Command } from 'commander';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** The commands for proxied servers, and their import from a client's settings. */
export function addServers(program: Command, run: Run): void {
  const server = program.command('server').description('manage proxied servers');
  withSettings(
    server.command('list').description('list their tools and what you need to review, without starting them'),
  )
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../server/server.ts')).listServers));
  withSettings(server.command('check [name]').description('start them and report their state'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../server/server.ts')).checkServers));
  withSettings(
    server.command('approve <name>').description('review what changed in its tools and approve it'),
  )
    .option('--digest <digest>', 'approve exactly what was shown with this digest')
    .action(run(async () => (await import('../server/server.ts')).approveServer));
  withSettings(
    server.command('login <name>').description('log in to a server that requires it, in your browser'),
  )
    .option('--scope <scopes>', 'request these scopes instead of those that the server names')
    .option('--no-browser', 'print the address instead of opening it')
    .action(run(async () => (await import('../server/login.ts')).loginServer));
  withSettings(server.command('logout <name>').description('log out and delete the tokens')).action(
    run(async () => (await import('../server/login.ts')).logoutServer),
  );
  withSettings(
    server.command('forget <name>').description('forget what you approved; the server is treated as new'),
  ).action(run(async () => (await import('../server/server.ts')).forgetServer));
  program
    .command('import <from>')
    .description("import servers from claude, cursor, vscode, gemini, windsurf, zed or a client's FILE")
    .option('--out <file>', 'configuration file to write (default: in your configuration folder)')
    .option('--dry-run', 'only show what would be imported')
    .action(run(async () => (await import('../import.ts')).importServers));
}
