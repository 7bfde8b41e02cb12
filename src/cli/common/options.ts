import { Argument, type Command, Option } from 'commander';
import { profiles } from '../../config/profiles.ts';
import { runtimes } from '../../config/runtime.ts';
import { singleTools, toolsetNames } from '../../config/toolset-names.ts';
import { locales, text } from '../../contract/text/text.ts';
import { inLocale } from './say.ts';

/** The options of a command, as the command line gives them. */
export type Options = Readonly<Record<string, unknown>>;

/** The heading above the options common to all commands, in their help. */
export const settingsHeading = text('Settings of the server and its records:', 'サーバーと記録の設定:');

/** Adds the options that choose what is served and where; the same for every command that opens a checkpoint. */
export function withSettings(command: Command): Command {
  return withOptions(command.optionsGroup(settingsHeading.en), settings).optionsGroup('Options:');
}

const settings = `
  --config <file> :: configuration file; never looked for in a workspace :: 設定ファイル（ワークスペース内は探さない）
  --profile <name> of ${Object.keys(profiles).join()} :: a set of defaults :: 既定値の組
  --root <path> :: the folder to serve (default: the current one) :: 提供するフォルダー（既定値: 現在のフォルダー）
  --env-file <file> :: file with variables for the settings of proxied servers; must not be in a workspace :: 中継するサーバーの設定に使う変数のファイル（ワークスペース内には置けない）
  --allow-path <path> repeated :: an additional folder or a single file; can be repeated :: 追加のフォルダー、または 1 つのファイル（繰り返し指定可）
  --toolsets <names> list :: what to serve: ${toolsetNames.join(', ')} :: 提供するもの: ${toolsetNames.join(', ')}
  --only <tool> :: serve this one tool: ${Object.keys(singleTools).join(', ')} :: このツールだけを提供: ${Object.keys(singleTools).join(', ')}
  --mode <mode> of read-only,workspace-write,full-access :: what tools may do :: ツールに許可すること
  --locale <locale> of ${locales.join()} :: language of texts :: 表示言語
  --state <path> :: folder of the audit log, approvals and memories :: 監査ログ、承認、メモリのフォルダー
  --allow-mime <type> repeated :: types of binary files that file_read returns, e.g. image/*; can be repeated :: file_read が返すバイナリファイルの種類。例: image/*（繰り返し指定可）
  --allow-executable :: allow file_write to write scripts and programs :: file_write によるスクリプトやプログラムの書き込みを許可
  --sandbox <choice> of required,off :: "off" runs commands without a sandbox :: "off" でコマンドをサンドボックスなしに実行
  --runtime <where> of ${runtimes.join()} :: where the server runs (default: host on Linux, container elsewhere) :: サーバーを動かす場所（Linux でなければコンテナー）
`;

/** Adds options, or arguments with choices, each a line: the words, how they are taken, and the help in both languages. */
export function withOptions(command: Command, lines: string): Command {
  for (const line of lines.trim().split('\n')) {
    const [head = '', en = '', ja = ''] = line.trim().split(' :: ');
    const [, flags = '', how, value = ''] =
      /^(.*?)(?: (of|default|required|repeated|list)(?: (\S+))?)?$/.exec(head) ?? [];
    const words = inLocale(en, ja);
    if (flags.startsWith('<')) {
      command.addArgument(new Argument(flags, words).choices(value.split(',')));
      continue;
    }
    const option = new Option(flags, words);
    if (how === 'of') option.choices(value.split(','));
    if (how === 'default') option.default(value);
    if (how === 'required') option.makeOptionMandatory();
    if (how === 'repeated') option.argParser(collect);
    if (how === 'list') option.argParser(commaList);
    command.addOption(option);
  }
  return command;
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
