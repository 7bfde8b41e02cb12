import type { Command } from 'commander';
import { ConfigError } from '../contract/error.ts';
import { say } from './say.ts';

/** Prints a completion script; words come from the program itself, so that none can be missing. */
export function printCompletion(shell: string, program: Command): number {
  const script = scripts[shell as keyof typeof scripts];
  if (!Object.hasOwn(scripts, shell)) {
    throw new ConfigError(
      `The shell must be one of ${Object.keys(scripts).join(', ')}, got ${JSON.stringify(shell)}.`,
    );
  }
  say(script(wordsOf(program)));
  return 0;
}

/** Each command path (`token create`) with what may follow it. */
function wordsOf(program: Command): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: string) => {
    const options = command.options
      .filter((option) => !option.hidden)
      .map((option) => option.long ?? option.short ?? '');
    words.set(path, [...command.commands.map((child) => child.name()), ...options, '--help'].filter(Boolean));
    for (const child of command.commands)
      visit(child, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
  return words;
}

const scripts = {
  bash: (words: ReadonlyMap<string, readonly string[]>) => `_sekisho() {
  local path="" word candidates=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${cases(words, (list) => `candidates="${list.join(' ')}"`)}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _sekisho sekisho`,
  zsh: (words: ReadonlyMap<string, readonly string[]>) => `#compdef sekisho
_sekisho() {
  local line="" word
  local -a candidates
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -* ]] || line="\${line:+$line }$word"
  done
  case "$line" in
${cases(words, (list) => `candidates=(${list.join(' ')})`)}
  esac
  compadd -- "\${candidates[@]}"
  _files
}
compdef _sekisho sekisho`,
  fish: (words: ReadonlyMap<string, readonly string[]>) =>
    [...words]
      .map(([path, list]) => {
        const condition =
          path === ''
            ? '__fish_use_subcommand'
            : path
                .split(' ')
                .map((word) => `__fish_seen_subcommand_from ${word}`)
                .join('; and ');
        return `complete -c sekisho -n '${condition}' -a '${list.join(' ')}'`;
      })
      .join('\n'),
} as const;

function cases(
  words: ReadonlyMap<string, readonly string[]>,
  body: (list: readonly string[]) => string,
): string {
  return [...words].map(([path, list]) => `    "${path}") ${body(list)} ;;`).join('\n');
}
