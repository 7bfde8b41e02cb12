import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** The commands for bearer tokens over HTTP. */
export function addTokens(program: Command, exitWith: (code: number) => void): void {
  const token = program.command('token').description('manage bearer tokens for HTTP');
  withSettings(token.command('create').description('create a token; it is shown only once'))
    .requiredOption('--user <name>', 'whose token it is')
    .option('--as-role <role>', 'the role that policy rules see')
    .option('--for <toolsets>', 'only these toolsets, e.g. vault,assistant')
    .option('--expires <time>', 'e.g. 12h, 30d (default: never)')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { createToken } = await import('../token.ts');
      exitWith(await createToken(flagsOf(options), options));
    });
  withSettings(token.command('list').description('list tokens, without their secrets'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listTokens } = await import('../token.ts');
      exitWith(await listTokens(flagsOf(options), options));
    });
  withSettings(token.command('revoke <id>').description('revoke a token at once')).action(
    async (id: string, options: Options) => {
      const { revokeToken } = await import('../token.ts');
      exitWith(await revokeToken(id, flagsOf(options)));
    },
  );
}
