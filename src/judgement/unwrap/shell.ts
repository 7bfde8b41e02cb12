import { mayBeOption, type Word } from '../words/word.ts';
import type { Inner } from './inner.ts';

/** A shell's own command line: `-c SCRIPT`, a script file, or commands on standard input. */
interface ShellLine {
  readonly script: Word | undefined;
  /** The file with the script. */
  readonly file: Word | undefined;
  /** The words after the script: its name and its arguments. */
  readonly args: readonly Word[];
  /** Without both, it reads the script from its input. */
  readonly readsInput: boolean;
}

/** Reads the options of sh, bash, dash and zsh; a bundle may hide the `c`. */
export function readShellLine(words: readonly Word[]): ShellLine {
  let takesScript = false;
  let fromInput = false;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as Word;
    const { value } = word;
    if (value === undefined || !/^[-+]./.test(value)) {
      if (value === '-') index++;
      // An unknown word that is followed by another counts as an option.
      if (value !== undefined || !mayBeOption(word) || takesScript || !words[index + 1]) break;
      continue;
    }
    if (value === '--') {
      index++;
      break;
    }
    if (value.startsWith('--')) {
      if (value === '--rcfile' || value === '--init-file') index++;
      continue;
    }
    for (const letter of value.slice(1)) {
      // bash and dash read `+c` as `-c`.
      if (letter === 'c') takesScript = true;
      if (letter === 's') fromInput = true;
      if (letter === 'o' || letter === 'O') index++;
    }
  }
  const operand = words[index];
  const isInput = /^\/(dev|proc\/(self|thread-self|\$\$|\d+))\/(stdin|fd\/)/.test(operand?.prefix ?? '');
  return {
    script: takesScript ? operand : undefined,
    file: takesScript || fromInput ? undefined : operand,
    args: words.slice(index + 1),
    readsInput: !takesScript && (fromInput || operand === undefined || isInput),
  };
}

export function unwrapShell(words: readonly Word[]): readonly Inner[] {
  const { script, args } = readShellLine(words);
  return script ? [{ kind: 'script', source: script, args: args.slice(1) }] : [];
}
