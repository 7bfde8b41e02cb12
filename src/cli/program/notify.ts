import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** `sekisho notify` and `passkey`. */
export function addNotifyCommands(program: Command, exitWith: (code: number) => void): void {
  const notify = program.command('notify').description('how waiting questions reach you');
  withSettings(notify.command('list').description('the channels that notices go to'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listChannels } = await import('../notify.ts');
      exitWith(await listChannels(flagsOf(options), options));
    });
  withSettings(notify.command('test <name>').description('send a notice of no question to a channel'))
    .option('--json', 'print as JSON')
    .action(async (name: string, options: Options) => {
      const { testChannel } = await import('../notify.ts');
      exitWith(await testChannel(name, flagsOf(options), options));
    });
  withSettings(notify.command('log').description('notices, and what became of each'))
    .option('--lines <number>', 'how many', '20')
    .option('--json', 'print as JSON Lines')
    .action(async (options: Options) => {
      const { noticeLog } = await import('../notify.ts');
      exitWith(await noticeLog(flagsOf(options), options));
    });
  withSettings(notify.command('devices').description('browsers that web push reaches'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listDevices } = await import('../notify.ts');
      exitWith(await listDevices(flagsOf(options), options));
    });
  withSettings(notify.command('remove <id>').description('tell a device nothing any more')).action(
    async (id: string, options: Options) => {
      const { removeDevice } = await import('../notify.ts');
      exitWith(await removeDevice(id, flagsOf(options)));
    },
  );
  const passkey = program.command('passkey').description('devices that answer by their unlock');
  withSettings(passkey.command('list').description('passkeys, whose they are and where they work'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listPasskeys } = await import('../passkey.ts');
      exitWith(await listPasskeys(flagsOf(options), options));
    });
  withSettings(passkey.command('remove <id>').description('forget one, as when the device was lost')).action(
    async (id: string, options: Options) => {
      const { removePasskey } = await import('../passkey.ts');
      exitWith(await removePasskey(id, flagsOf(options)));
    },
  );
}
