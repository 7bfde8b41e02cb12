import { mayBeOption, type Word } from '../words/word.ts';
import type { Inner } from './inner.ts';

/** A shell's own command line: `-c SCRIPT`, a script file, or commands on standard input. */
export interface ShellLine {
  readonly script: Word | undefined;
  readonly file: Word | undefined;
  /** Neither: it reads what to run from its input. */
  readonly readsInput: boolean;
  /** A word that could be any option. */
  readonly unsure: Word | undefined;
}

const longValued = new Set(['--rcfile', '--init-file']);

/** Reads the options of sh, bash, dash and zsh, where `c` may hide in a bundle. */
export function readShellLine(words: readonly Word[]): ShellLine {
  let takesScript = false;
  let fromInput = false;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as Word;
    if (mayBeOption(word) && takesScript) break;
    if (mayBeOption(word)) return { script: undefined, file: undefined, readsInput: false, unsure: word };
    const value = word.value;
    if (value === undefined || !/^[-+]./.test(value)) {
      if (value === '-') index++;
      break;
    }
    if (value === '--') {
      index++;
      break;
    }
    if (value.startsWith('--')) {
      if (longValued.has(value)) index++;
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
  const file = takesScript || fromInput ? undefined : operand;
  const isInput = /^\/(dev|proc\/(self|thread-self|\$\$|\d+))\/(stdin|fd\/)/.test(file?.prefix ?? '');
  return {
    script: takesScript ? operand : undefined,
    file: isInput ? undefined : file,
    readsInput: !takesScript && (file === undefined || isInput),
    unsure: undefined,
  };
}

export function unwrapShell(words: readonly Word[], posix: boolean): readonly Inner[] {
  const line = readShellLine(words);
  if (line.unsure) return [{ kind: 'unread', rule: 'wrapper-unread', word: line.unsure }];
  return line.script ? [{ kind: 'script', source: line.script, posix }] : [];
}
