import type { Command, Option } from 'commander';
import { inLocale, say } from '../common/say.ts';

/** Prints a completion script; the words come from the program itself, so that none can be missing. */
export function printCompletion(shell: 'bash' | 'zsh' | 'fish', program: Command): number {
  const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
  say(scripts[shell](wordsOf(program)));
  return 0;
}

function wordsOf(program: Command): readonly CommandWords[] {
  const found: CommandWords[] = [];
  const visit = (command: Command, path: string) => {
    const visible = command.commands.map((child) => ({
      name: child.name(),
      description: child.description(),
    }));
    const options = command.options.filter((option) => !option.hidden).map(optionWords);
    const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
    found.push({ path, children: visible, options: [...options, help()], choices });
    for (const child of command.commands)
      visit(child, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
  return found;
}

function optionWords(option: Option): OptionWords {
  return {
    name: option.long ?? option.short ?? '',
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}

const help = (): OptionWords => ({
  name: '--help',
  description: inLocale('display help for command', 'ヘルプを表示'),
  takesValue: false,
  choices: [],
});

/** Completion for fish, which shows descriptions. */
function fishCompletion(commands: readonly CommandWords[]): string {
  return [
    `function __sekisho_at
  set -l path
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$path $word")
      case ${commands.flatMap(({ path }) => (path === '' ? [] : [quoted(path)])).join(' ')}
        set path (string trim -- "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end`,
    ...commands.flatMap(linesOf),
  ].join('\n');
}

function linesOf({ path, children, choices, options }: CommandWords): readonly string[] {
  const at = `complete -c sekisho -n ${quoted(`__sekisho_at "${path}"`)}`;
  return [
    // Only commands without words of their own may take a file.
    ...(children.length + choices.length > 0 ? [`${at} -f`] : []),
    ...children.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...choices.map((choice) => `${at} -a ${choice}`),
    ...options.map(({ name, description, takesValue, choices: values }) => {
      const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
      return `${at} -l ${name.slice(2)}${value} -d ${quoted(description)}`;
    }),
  ];
}

function quoted(words: string): string {
  return `'${words.replace(/[\\']/g, '\\$&')}'`;
}

/** Completion for zsh, whether the script is sourced or is in a folder of `fpath` as `_sekisho`. */
function zshCompletion(commands: readonly CommandWords[]): string {
  return `#compdef sekisho
_sekisho() {
  local line="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${line:+$line }$word" in
      (${knownPaths(commands)}) line="\${line:+$line }$word" ;;
    esac
  done
  case "$line \${words[CURRENT-1]}" in
${optionCases(commands, (choices) => (choices === '' ? '_files; return' : `candidates=(${choices})`))}
    *) case "$line" in
${commandCases(commands, (words) => `candidates=(${words})`)}
    esac ;;
  esac
  compadd -a candidates || _files
}
if [[ "$funcstack[1]" == _sekisho ]]; then _sekisho; else compdef _sekisho sekisho; fi`;
}

/** Completion for bash: candidates by command, values by option, and files if neither is known. */
function bashCompletion(commands: readonly CommandWords[]): string {
  return `_sekisho() {
  local path="" word candidates="" current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${knownPaths(commands)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $previous" in
${optionCases(commands, (choices) => (choices === '' ? 'COMPREPLY=(); return' : `candidates="${choices}"`))}
    *) case "$path" in
${commandCases(commands, (words) => `candidates="${words}"`)}
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
}
complete -o default -F _sekisho sekisho`;
}

/** All command paths as one shell pattern, so that the value of an option is not taken for a command. */
function knownPaths(commands: readonly CommandWords[]): string {
  return commands.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

/** A case for each option with a value, of each command: the possible values, or nothing. */
function optionCases(commands: readonly CommandWords[], body: (choices: string) => string): string {
  return commands
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ name, choices }) => `    '${path} ${name}') ${body(choices.join(' '))} ;;`),
    )
    .join('\n');
}

/** A case for each command: its sub-commands, its argument's values, and its options. */
function commandCases(commands: readonly CommandWords[], body: (words: string) => string): string {
  return commands
    .map(({ path, children, choices, options }) => {
      const words = [...children.map(({ name }) => name), ...choices, ...options.map(({ name }) => name)];
      return `      '${path}') ${body(words.join(' '))} ;;`;
    })
    .join('\n');
}

/** The words that may follow a command, for the shells' scripts. */
interface CommandWords {
  /** The command's words, e.g. `token create`; empty for `sekisho` alone. */
  readonly path: string;
  readonly children: readonly Described[];
  readonly options: readonly OptionWords[];
  /** The possible values of its argument, if the list is short. */
  readonly choices: readonly string[];
}

interface Described {
  readonly name: string;
  readonly description: string;
}

interface OptionWords extends Described {
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}
