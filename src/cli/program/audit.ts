import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** The commands that read and verify the log. */
export function addAudit(program: Command, exitWith: (code: number) => void): void {
  const audit = program.command('audit').description('read and verify the log of every call');
  withSettings(audit.command('tail').description('show the newest entries'))
    .option('--lines <number>', 'number of entries', '20')
    .option('--follow', 'keep printing new entries')
    .option('--json', 'print as JSON Lines')
    .action(async (options: Options) => {
      const { tailAudit } = await import('../audit.ts');
      exitWith(await tailAudit(flagsOf(options), options));
    });
  withSettings(audit.command('search [text]').description('find entries by id or text'))
    .option('--tool <name>', 'only this tool')
    .option('--principal <name>', 'only this caller')
    .option('--outcome <outcome>', 'ok, error, question or interrupted')
    .option('--since <time>', 'e.g. 10m, 2h, 7d')
    .option('--limit <number>', 'number of entries', '100')
    .option('--json', 'print as JSON Lines')
    .action(async (words: string | undefined, options: Options) => {
      const { searchAudit } = await import('../audit.ts');
      exitWith(await searchAudit(words, flagsOf(options), options));
    });
  withSettings(audit.command('verify').description('detect changed, missing or cut-off entries'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { verifyAudit } = await import('../audit.ts');
      exitWith(await verifyAudit(flagsOf(options), options));
    });
  withSettings(audit.command('export').description('print every entry as JSON Lines')).action(
    async (options: Options) => {
      const { exportAudit } = await import('../audit.ts');
      exitWith(await exportAudit(flagsOf(options)));
    },
  );
}
