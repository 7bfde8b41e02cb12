import type { Word } from '../words/word.ts';
import type { Names } from './names.ts';
import type { Input } from './pipes.ts';

/** One simple command as it would run, taken out of whatever it was wrapped in. */
export interface Use {
  readonly program: string;
  /** The name and the arguments. */
  readonly words: readonly Word[];
  readonly args: readonly Word[];
  /** Programs around it, outermost first. */
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

/** What a command line says: its commands, what else rules look at, and what of it could not be read. */
export interface Reading {
  readonly commands: readonly Use[];
  readonly redirections: readonly Redirected[];
  readonly substitutions: readonly { readonly kind: 'command' | 'process'; readonly excerpt: string }[];
  /** Where programs or the text of a script are only known when it runs. */
  readonly unread: readonly string[];
  /** What it gives to names, beside what they had before. */
  readonly names: Names;
}
