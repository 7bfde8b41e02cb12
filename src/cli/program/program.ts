import { Command, type Option } from 'commander';
import { outsideOf } from '../../config/places/outside.ts';
import { runtimeOf } from '../../config/runtime.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { settingsHeading, withOptions, withSettings } from '../common/options.ts';
import { inLocale } from '../common/say.ts';
import { versionOf } from '../common/version.ts';
import { acts } from './acts.ts';
import { commandLines } from './commands.ts';
import { addExample, translateHelp } from './help.ts';

/** The command ran in a container and ended with this exit code. */
export class RanElsewhere extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`It ran in a container, which ended with ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

/** Every command and option, or only the named command and those below it: clients, hooks and scripts wait. */
export function createProgram(exitWith: (code: number) => void, args: readonly string[] = []): Command {
  const [first = ''] = args;
  const program = new Command('sekisho')
    .description(
      inLocale('The checkpoint between AI agents and a machine.', 'AI エージェントとマシンの間に立つ関所。'),
    )
    .version(versionOf(), '-V, --version', inLocale('output the version number', 'バージョンを表示'))
    .exitOverride()
    .configureOutput({ outputError: (words, write) => write(`${inLocale(mistakeIn(words))}\n`) })
    .showHelpAfterError(
      inLocale(
        '(`sekisho --help` lists the commands.)',
        '（コマンドの一覧は `sekisho --help` で確認できます。）',
      ),
    )
    .addHelpText('after', `\n${inLocale(begin)}`)
    .hook('preAction', async (_program, command) => {
      const exitCode = await elsewhere(args, command);
      if (exitCode !== undefined) throw new RanElsewhere(exitCode);
    });

  const blocks = commandLines.trim().split(/\n(?=\S)/);
  const named = blocks.filter((block) => block.startsWith(`${first} `));
  // Completes all other commands, so it needs the whole list.
  for (const block of first === 'completion' || named.length === 0 ? blocks : named)
    addCommand(program, block, exitWith);
  translateHelp(program);
  return program;
}

/** Adds a command of the list, whose words may stand below another's. */
function addCommand(program: Command, block: string, exitWith: (code: number) => void): void {
  const [head = '', ...options] = block.split('\n');
  const [typed = '', en = '', ja = '', example, inJapanese = example] = head.split(' :: ');
  const [, name = '', alias, args = '', settings] =
    /^([a-z ]+?)(?:,([a-z]+))?((?: [<[]\S+)*)( \+)?$/.exec(typed) ?? [];
  const [last = '', ...above] = name.split(' ').toReversed();
  const parent = above.reduceRight(
    (at, each) => at.commands.find((known) => known.name() === each) ?? at,
    program,
  );
  const command = parent.command(last + args).description(inLocale(en, ja));
  if (alias !== undefined) command.alias(alias);
  if (settings !== undefined) withSettings(command);
  if (options.length > 0) withOptions(command, options.join('\n'));
  const load = acts[name];
  if (load)
    command.action(async (...given: readonly unknown[]) => {
      const act = (await load(program)) as (...given: readonly unknown[]) => number | Promise<number>;
      // An option that a command and the one above it both know may stand before or behind its name.
      const flags = command.optsWithGlobals();
      exitWith(await act(...given.slice(0, -2), flags, flags));
    });
  if (example !== undefined && inJapanese !== undefined)
    addExample(command, name, inLocale(example, inJapanese).replace(/^-$/, ''));
}

/** Runs a command that opens records in a container, if a flag, the file or the machine asks for one. */
async function elsewhere(args: readonly string[], command: Command): Promise<number | undefined> {
  const isSetting = ({ long, helpGroupHeading }: Option) =>
    long === '--runtime' && helpGroupHeading === settingsHeading.en;
  if (outsideOf() || !command.options.some(isSetting)) return undefined;
  const choice = runtimeOf(command.optsWithGlobals(), process.env, process.platform);
  if (choice.runtime === 'host') return undefined;
  const { runInContainer } = await import('../container/in-container.ts');
  return runInContainer(args, command, choice);
}

const begin = text(
  'Start with `sekisho init`. `sekisho doctor` shows what works on this machine.',
  'まず `sekisho init` を実行してください。このマシンで何が動くかは `sekisho doctor` で分かります。',
);

/** commander's error messages in both languages; unknown words stay unchanged. */
function mistakeIn(english: string): Text {
  let japanese = english.trimEnd();
  for (const [pattern, words] of forms) japanese = japanese.replace(pattern, words);
  return text(english.trimEnd(), japanese);
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/^error: unknown command '(.*)'/, "エラー: コマンド '$1' はありません"],
  [/^error: unknown option '(.*)'/, "エラー: オプション '$1' はありません"],
  [/^error: missing required argument '(.*)'/, "エラー: 引数 '$1' が必要です"],
  [/^error: option '(.*)' argument missing/, "エラー: オプション '$1' に値が必要です"],
  [/^error: required option '(.*)' not specified/, "エラー: オプション '$1' を指定してください"],
  [
    /^error: option '(.*)' argument '(.*)' is invalid\./s,
    "エラー: オプション '$1' に '$2' は指定できません。",
  ],
  [
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\./s,
    "エラー: 引数 '$2' に '$1' は指定できません。",
  ],
  [/ ?Allowed choices are (.*)\.$/, '指定できるもの: $1'],
  [
    /^error: too many arguments(?: for '(.*)')?\. Expected (\d+) arguments? but got (\d+): (.*)\.$/s,
    "エラー: '$1' の引数が多すぎます。必要な数は $2、指定された数は $3: $4",
  ],
  [/\(Did you mean one of (.*)\?\)$/, '（もしかして: $1）'],
  [/\(Did you mean (.*)\?\)$/, '（もしかして: $1）'],
];
