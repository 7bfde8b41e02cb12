import { type Command, Help, type Option } from 'commander';
import { pipelineCommands } from '../../contract/pipeline-commands.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { settingsHeading } from '../common/options.ts';
import { inLocale } from '../common/say.ts';

/** Translates what commander says by itself, and shows a command's own options before the common ones. */
export function translateHelp(program: Command): void {
  const words = inLocale('display help for command', 'ヘルプを表示');
  for (const command of [program, ...commandsBelow(program)]) {
    command.createHelp = () => new SettingsLast();
    command.helpOption('-h, --help', words);
    if (command.commands.length > 0) command.helpCommand('help [command]', words);
  }
}

/** An example below a command's help, as typed in a project. */
export function addExample(command: Command, name: string, example: string): void {
  const note = notes[name];
  if (note) command.addHelpText('after', `\n${inLocale(note)}`);
  command.addHelpText('after', `\n${inLocale(titles.example)}\n  ${`sekisho ${name} ${example}`.trimEnd()}`);
}

/** Every command and its sub-commands, without the program itself. */
export function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...commandsBelow(each)]);
}

/** The command's words after `sekisho`, e.g. `audit tail`. */
export function nameOf(command: Command): string {
  return command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

class SettingsLast extends Help {
  override styleTitle(title: string): string {
    const known = Object.values(titles).find(({ en }) => en === title);
    return known ? inLocale(known) : title;
  }

  override optionDescription(option: Option): string {
    const { description } = option;
    const added = super.optionDescription(option).slice(description.length);
    const japanese = added.replace(
      /^ \((?:choices: )?(.*)\)$/s,
      (_, list: string) => `（${list.replace(/^(?=")/, '選択肢: ').replace(/\bdefault: /, '既定値: ')}）`,
    );
    return `${description}${inLocale(added, japanese)}`;
  }

  override groupItems<T extends Command | Option>(
    all: T[],
    visible: T[],
    headingOf: (item: T) => string,
  ): Map<string, T[]> {
    const groups = super.groupItems(all, visible, headingOf);
    const settings = groups.get(settingsHeading.en);
    if (settings && groups.delete(settingsHeading.en)) groups.set(settingsHeading.en, settings);
    return groups;
  }
}

const titles = {
  usage: text('Usage:', '使い方:'),
  arguments: text('Arguments:', '引数:'),
  options: text('Options:', 'オプション:'),
  commands: text('Commands:', 'コマンド:'),
  example: text('Example:', '例:'),
  settings: settingsHeading,
} as const;

/** Document 004's help, for those who serve its toolset alone. */
const notes: Readonly<Record<string, Text>> = {
  serve: text(
    `Pipelines (--toolsets pipeline):
  shelpa_pipe runs commands joined by | without a shell:
  ${pipelineCommands.replace(' ctree_generate', '\n  ctree_generate')}
  alone: pwd, cd PATH, ls. Only pipes: no > or >>, no sed -i, no files written
  by awk. Save with | tee FILE. shelpa_write writes a text and keeps what it
  overwrites.`,
    `パイプライン (--toolsets pipeline):
  shelpa_pipe は、シェルを使わずに | でつないだコマンドを実行します。使えるのは
  ${pipelineCommands.replace(' ctree_generate ', '、\n  ctree_generate、').replaceAll(' ', '、')}です。
  単独なら pwd、cd PATH、ls。つなげるのは | だけで、> と >>、sed -i、awk による
  ファイルの書き込みは使えません。保存は | tee FILE。shelpa_write は文章を書き込み、
  上書きした内容を残します。`,
  ),
};
