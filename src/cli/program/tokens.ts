import type { Command } from 'commander';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** The commands for bearer tokens over HTTP. */
export function addTokens(program: Command, run: Run): void {
  const token = program.command('token').description('manage bearer tokens for HTTP');
  withSettings(token.command('create').description('create a token; it is shown only once'))
    .requiredOption('--user <name>', 'whose token it is')
    .option('--as-role <role>', 'the role that policy rules see')
    .option('--for <toolsets>', 'only these toolsets, e.g. vault,assistant')
    .option('--expires <time>', 'e.g. 12h, 30d (default: never)')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../token.ts')).createToken));
  withSettings(token.command('list').description('list tokens, without their secrets'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../token.ts')).listTokens));
  withSettings(token.command('revoke <id>').description('revoke a token at once')).action(
    run(async () => (await import('../token.ts')).revokeToken),
  );
}
