import { type Command, Option } from 'commander';
import { profiles } from '../../config/profiles.ts';
import { runtimes } from '../../config/runtime.ts';
import { singleTools, toolsetNames } from '../../config/toolset-names.ts';
import { locales, text } from '../../contract/text/text.ts';

/** The options of a command, as the command line gives them. */
export type Options = Readonly<Record<string, unknown>>;

/** The heading above the options common to all commands, in their help. */
export const settingsHeading = text('Settings of the server and its records:', 'サーバーと記録の設定:');

/** Adds the options that choose what is served and where; the same for every command that opens a checkpoint. */
export function withSettings(command: Command): Command {
  return command
    .optionsGroup(settingsHeading.en)
    .option('--config <file>', 'configuration file; never looked for in a workspace')
    .addOption(new Option('--profile <name>', 'a set of defaults').choices(Object.keys(profiles)))
    .option('--root <path>', 'the folder to serve (default: the current one)')
    .option(
      '--env-file <file>',
      'file with variables for the settings of proxied servers; must not be in a workspace',
    )
    .option('--allow-path <path>', 'an additional folder or a single file; can be repeated', collect)
    .option('--toolsets <names>', `what to serve: ${toolsetNames.join(', ')}`, commaList)
    .option('--only <tool>', `serve this one tool: ${Object.keys(singleTools).join(', ')}`)
    .addOption(
      new Option('--mode <mode>', 'what tools may do').choices([
        'read-only',
        'workspace-write',
        'full-access',
      ]),
    )
    .addOption(new Option('--locale <locale>', 'language of texts').choices(locales))
    .option('--state <path>', 'folder of the audit log, approvals and memories')
    .option(
      '--allow-mime <type>',
      'types of binary files that file_read returns, e.g. image/*; can be repeated',
      collect,
    )
    .option('--allow-executable', 'allow file_write to write scripts and programs')
    .addOption(
      new Option('--sandbox <choice>', '"off" runs commands without a sandbox').choices(['required', 'off']),
    )
    .addOption(
      new Option(
        '--runtime <where>',
        'where the server runs (default: host on Linux, container elsewhere)',
      ).choices(runtimes),
    )
    .optionsGroup('Options:');
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

function commaList(value: string): string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
