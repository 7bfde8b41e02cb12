import type { CommandLine } from '../../contract/capabilities/process.ts';
import { maxFillings } from './fill/fillings.ts';
import type { Printed } from './print/print.ts';
import type { Scene } from './rules/rule.ts';
import type { Guards } from './syntax/node-notes.ts';
import { clean, type Place } from './syntax/walk.ts';
import { literalWord, type Word } from './words/word.ts';
import type { Writing } from './writing.ts';

/** A script that is still to be read. */
export interface ScriptJob {
  readonly kind: 'script';
  readonly printed: Printed;
  readonly writing: Writing;
  readonly posix: boolean;
  readonly place: Place;
  readonly via: readonly string[];
}

/** A command in it, or in what one of them starts. */
export interface CommandJob {
  readonly kind: 'command';
  readonly words: readonly Word[];
  /** The text that its words stand in. */
  readonly writing: Writing;
  readonly excerpt: () => string;
  readonly place: Place;
  readonly via: readonly string[];
  readonly texts: readonly Word[];
  readonly files: readonly Word[];
  /** It stands in the script itself, or a wrapper there starts it: `"$@"` is what its function was called with. */
  readonly isOwn: boolean;
  /** Another program starts it, so that no builtin of a shell is meant. */
  readonly isProgram: boolean;
  /** How often its words were filled in. */
  readonly fillings: number;
}

/** Where something in a script stands. */
export type Where = Pick<CommandJob, 'writing' | 'place' | 'excerpt'>;

export const nowhere: Place = { functions: [], pipes: undefined, folders: [], forks: false };

/** A program that is started without a shell. */
export function programJob(
  { program, args }: CommandLine & { kind: 'program' },
  writing: Writing,
): CommandJob {
  const all = [program, ...args];
  return {
    kind: 'command',
    words: all.map((value, pos) => ({ ...literalWord(value), at: { pos, end: pos, value } })),
    writing,
    excerpt: () => clean(all.join(' ').slice(0, 400)),
    place: nowhere,
    via: [],
    texts: [],
    files: [],
    isOwn: false,
    isProgram: true,
    fillings: 0,
  };
}

/** Asked when the whole script is read; bash alone knows the words that guard what is bad. */
export interface Deferred {
  readonly rule: string;
  readonly excerpt: () => string;
  isBad(scene: Scene): boolean;
  readonly guards?: Guards | undefined;
  readonly writing?: Writing | undefined;
}

/** Only to what stands in another command can several ways lead. */
export function isInner({ via, fillings }: CommandJob): boolean {
  return fillings < maxFillings && via.length + fillings > 0;
}
