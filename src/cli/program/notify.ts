import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** `sekisho notify` and `passkey`. */
export function addNotifyCommands(program: Command, exitWith: (code: number) => void): void {
  const notify = program.command('notify').description('manage notices about waiting questions');
  withSettings(notify.command('list').description('list the channels for notices'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listChannels } = await import('../notify.ts');
      exitWith(await listChannels(flagsOf(options), options));
    });
  withSettings(notify.command('test <name>').description('send a test notice to a channel'))
    .option('--json', 'print as JSON')
    .action(async (name: string, options: Options) => {
      const { testChannel } = await import('../notify.ts');
      exitWith(await testChannel(name, flagsOf(options), options));
    });
  withSettings(notify.command('log').description('list notices and whether they arrived'))
    .option('--lines <number>', 'number of entries', '20')
    .option('--json', 'print as JSON Lines')
    .action(async (options: Options) => {
      const { noticeLog } = await import('../notify.ts');
      exitWith(await noticeLog(flagsOf(options), options));
    });
  withSettings(notify.command('devices').description('list browsers that receive web push'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listDevices } = await import('../notify.ts');
      exitWith(await listDevices(flagsOf(options), options));
    });
  withSettings(notify.command('remove <id>').description('stop sending notices to a device')).action(
    async (id: string, options: Options) => {
      const { removeDevice } = await import('../notify.ts');
      exitWith(await removeDevice(id, flagsOf(options)));
    },
  );
  const passkey = program
    .command('passkey')
    .description('manage the passkeys of devices that answer questions');
  withSettings(passkey.command('list').description('list passkeys, their owners and host names'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listPasskeys } = await import('../passkey.ts');
      exitWith(await listPasskeys(flagsOf(options), options));
    });
  withSettings(passkey.command('remove <id>').description('remove a passkey, e.g. of a lost device')).action(
    async (id: string, options: Options) => {
      const { removePasskey } = await import('../passkey.ts');
      exitWith(await removePasskey(id, flagsOf(options)));
    },
  );
}
