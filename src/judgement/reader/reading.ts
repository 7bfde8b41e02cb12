import type { Word } from '../words/word.ts';
import type { Names } from './names.ts';
import type { Input } from './pipes.ts';

/** A simple command as it would run, without its wrappers. */
export interface Use {
  readonly program: string;
  /** The name and the arguments. */
  readonly words: readonly Word[];
  readonly args: readonly Word[];
  /** The programs around it, outermost first. */
  readonly via: readonly string[];
  readonly input: Input;
  readonly excerpt: () => string;
}

/** A file that a redirection opens. */
export interface Redirected {
  readonly target: () => Word;
  readonly writes: boolean;
  readonly excerpt: () => string;
}

/** The content of a command line: its commands, other findings for rules, and the parts that could not be read. */
export interface Reading {
  readonly commands: readonly Use[];
  readonly redirections: readonly Redirected[];
  readonly substitutions: readonly { readonly kind: 'command' | 'process'; readonly excerpt: string }[];
  /** Parts whose programs or script are known only when the line runs. */
  readonly unread: readonly string[];
  /** The values that it gives to variables, besides their former ones. */
  readonly names: Names;
}
