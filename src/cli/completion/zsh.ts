import { commandCases, knownPaths, optionCases } from './bash.ts';
import type { CommandWords } from './words.ts';

/** Completion for zsh, whether the script is sourced or is in a folder of `fpath` as `_sekisho`. */
export function zshCompletion(commands: readonly CommandWords[]): string {
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
