import type { Command } from 'commander';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** `sekisho notify` and `passkey`. */
export function addNotifyCommands(program: Command, run: Run): void {
  const notify = program.command('notify').description('manage notices about waiting questions');
  withSettings(notify.command('list').description('list the channels for notices'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).listChannels));
  withSettings(notify.command('test <name>').description('send a test notice to a channel'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).testChannel));
  withSettings(notify.command('log').description('list notices and whether they arrived'))
    .option('--lines <number>', 'number of entries', '20')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../notify.ts')).noticeLog));
  withSettings(notify.command('devices').description('list browsers that receive web push'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).listDevices));
  withSettings(notify.command('remove <id>').description('stop sending notices to a device')).action(
    run(async () => (await import('../notify.ts')).removeDevice),
  );
  const passkey = program
    .command('passkey')
    .description('manage the passkeys of devices that answer questions');
  withSettings(passkey.command('list').description('list passkeys, their owners and host names'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../passkey.ts')).listPasskeys));
  withSettings(passkey.command('remove <id>').description('remove a passkey, e.g. of a lost device')).action(
    run(async () => (await import('../passkey.ts')).removePasskey),
  );
}
