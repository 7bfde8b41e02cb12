import type { Command } from 'commander';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** The commands that read and verify the log. */
export function addAudit(program: Command, run: Run): void {
  const audit = program.command('audit').description('read and verify the log of every call');
  withSettings(audit.command('tail').description('show the newest entries'))
    .option('--lines <number>', 'number of entries', '20')
    .option('--follow', 'keep printing new entries')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../audit.ts')).tailAudit));
  withSettings(audit.command('search [text]').description('find entries by id or text'))
    .option('--tool <name>', 'only this tool')
    .option('--principal <name>', 'only this caller')
    .option('--outcome <outcome>', 'ok, error, question or interrupted')
    .option('--since <time>', 'e.g. 10m, 2h, 7d')
    .option('--limit <number>', 'number of entries', '100')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../audit.ts')).searchAudit));
  withSettings(audit.command('verify').description('detect changed, missing or cut-off entries'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../audit.ts')).verifyAudit));
  withSettings(audit.command('export').description('print every entry as JSON Lines')).action(
    run(async () => (await import('../audit.ts')).exportAudit),
  );
}
