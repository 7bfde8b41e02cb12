import type { CommandWords } from './words.ts';

/** Completion for bash: candidates by command, values by option, and files if neither is known. */
export function bashCompletion(commands: readonly CommandWords[]): string {
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
export function knownPaths(commands: readonly CommandWords[]): string {
  return commands.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

/** A case for each option with a value, of each command: the possible values, or nothing. */
export function optionCases(commands: readonly CommandWords[], body: (choices: string) => string): string {
  return commands
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ name, choices }) => `    '${path} ${name}') ${body(choices.join(' '))} ;;`),
    )
    .join('\n');
}

/** A case for each command: its sub-commands, its argument's values, and its options. */
export function commandCases(commands: readonly CommandWords[], body: (words: string) => string): string {
  return commands
    .map(({ path, children, choices, options }) => {
      const words = [...children.map(({ name }) => name), ...choices, ...options.map(({ name }) => name)];
      return `      '${path}') ${body(words.join(' '))} ;;`;
    })
    .join('\n');
}
