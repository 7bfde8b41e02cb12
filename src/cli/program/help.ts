import { type Command, Help, type Option } from 'commander';
import { pipelineCommands } from '../../contract/pipeline-commands.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { settingsHeading } from '../common/options.ts';
import { inLocale } from '../common/say.ts';
import { ja } from './ja.ts';

/** Translates the help, and shows a command's own options before the common ones, and an example below them. */
export function helpWithExamples(program: Command): void {
  for (const command of [program, ...commandsBelow(program)]) {
    command.createHelp = () => new SettingsLast();
    command.helpOption('-h, --help', inWords('display help for command'));
    if (command.commands.length > 0)
      command.helpCommand('help [command]', inWords('display help for command'));
    command.description(inWords(command.description()));
    for (const option of [...command.options, ...command.registeredArguments]) {
      option.description = inWords(option.description);
    }
    const example = examples[nameOf(command)];
    const note = notes[nameOf(command)];
    if (note) command.addHelpText('after', `\n${inLocale(note)}`);
    if (example)
      command.addHelpText('after', `\n${inLocale(titles.example)}\n  sekisho ${inLocale(example)}`);
  }
}

/** A list after a colon consists of names, the same in both languages. */
function inWords(english: string): string {
  const [, words = english, list = ''] = /^([^:]+): ([\w-]+(?:, [\w-]+)*)$/.exec(english) ?? [];
  const japanese = ja[english] ?? (ja[words] && `${ja[words]}: ${list}`);
  return inLocale(english, japanese ?? english);
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

/** One for each command, as typed in a project. */
const examples: Readonly<Record<string, Text | string>> = {
  serve: 'serve --http --profile coding --mode read-only',
  ps: 'ps',
  stop: 'stop --all',
  call: `call file_read '{"path": "README.md", "end_line": 20}'`,
  tools: 'tools --profile coding',
  doctor: 'doctor --json',
  console: 'console',
  init: 'init --profile coding --client claude',
  'image build': 'image build --engine podman',
  completion: 'completion bash >> ~/.bashrc',
  ask: text('ask "What does config.txt say?"', 'ask "config.txt には何が書いてありますか"'),
  'token create': 'token create --user hana --expires 30d',
  'token list': 'token list',
  'token revoke': 'token revoke 4f2a',
  'secret set': 'secret set github',
  'secret list': 'secret list',
  'secret remove': 'secret remove github',
  'audit tail': 'audit tail --follow',
  'audit search': 'audit search --tool shell_exec --since 2h',
  'audit verify': 'audit verify',
  'audit export': 'audit export > audit.jsonl',
  approve: 'approve 4f2a --for 1h',
  story: 'story --diff',
  digest: 'digest --since 8h',
  'approve grants': 'approve grants',
  'approve revoke': 'approve revoke 4f2a',
  'notify list': 'notify list',
  'notify test': 'notify test phone',
  'notify log': 'notify log --lines 50',
  'notify devices': 'notify devices',
  'notify remove': 'notify remove dev_4f2a',
  'passkey list': 'passkey list',
  'passkey remove': 'passkey remove 4f2a',
  'server list': 'server list',
  'server check': 'server check github',
  'server approve': 'server approve github',
  'server login': 'server login github',
  'server logout': 'server logout github',
  'server forget': 'server forget github',
  import: 'import claude --dry-run',
  history: 'history src --since 2h',
  diff: 'diff 4f2a',
  undo: 'undo --since 10m',
  run: "run -- 'npm test | tail -5'",
  hook: 'hook claude --profile coding',
  nodes: 'nodes',
  projects: 'projects',
  'store copy': 'store copy sqlite:old.db postgres://user@host/sekisho',
  'policy explain': 'policy explain --profile coding',
  'policy test': `policy test '{"tool": "shell_exec", "arguments": {"command": "git push"}}'`,
  'policy why': 'policy why 4f2a1c',
  'memory export': 'memory export > memories.jsonl',
  'memory embed': 'memory embed --status',
  'memory import': 'memory import memories.jsonl --user hana',
  'coordinator token': 'coordinator token',
  chat: text('chat worker-1 "How far is the search page?"', 'chat worker-1 "検索ページの進み具合は？"'),
  'team apply': 'team apply team.jsonc',
  'agent add': 'agent add worker-1 --project site',
  'agent list': 'agent list',
  'agent passwd': 'agent passwd worker-1',
  'agent remove': 'agent remove worker-1',
  'project add': 'project add site --working-directory /srv/site',
  'project list': 'project list',
  'project assign': 'project assign site worker-1',
  'project pause': 'project pause site',
  'project resume': 'project resume site',
  'task add': text(
    'task add --project site --title "Translate the index page"',
    'task add --project site --title "トップページを翻訳する"',
  ),
  'task list': 'task list --project site --status in_progress',
  'task show': 'task show 4f2a',
  'task assign': 'task assign 4f2a worker-1',
  'task cancel': text(
    'task cancel 4f2a --reason "no longer needed"',
    'task cancel 4f2a --reason "不要になったため"',
  ),
};
