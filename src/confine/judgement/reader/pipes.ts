import type { SyntaxNode } from 'unbash';
import type { Word } from '../words/word.ts';
import { constantOf } from './words.ts';

/** What a command in a pipe may hand on to those behind it. */
export type Trait = 'fetches' | 'decodes' | 'tellsCredentials';

/** One pipeline: the first of its stages that has each trait. */
class Pipe {
  readonly #first = new Map<Trait, number>();

  note(trait: Trait, stage: number): void {
    this.#first.set(trait, Math.min(stage, this.first(trait)));
  }

  first(trait: Trait): number {
    return this.#first.get(trait) ?? Number.POSITIVE_INFINITY;
  }
}

/** Where in a pipeline a command stands, and where that pipeline stands. */
export interface Stage {
  readonly pipe: Pipe;
  readonly index: number;
  readonly before: SyntaxNode | undefined;
  readonly outer: Stage | undefined;
}

/** The stages of one pipeline, in their order. */
export function stagesOf(commands: readonly SyntaxNode[], outer: Stage | undefined): readonly Stage[] {
  const pipe = new Pipe();
  return commands.map((_, index) => ({ pipe, index, before: commands[index - 1], outer }));
}

export function noteTrait(stage: Stage | undefined, trait: Trait): void {
  for (let at = stage; at; at = at.outer) at.pipe.note(trait, at.index);
}

/** Has a command before this one in a pipe the trait? */
export function isBehind(stage: Stage | undefined, trait: Trait): boolean {
  for (let at = stage; at; at = at.outer) if (at.pipe.first(trait) < at.index) return true;
  return false;
}

/** What the command right before this one writes into the pipe, if its words say all of it. */
export function textFrom({ before }: Stage): string | undefined {
  if (before?.type !== 'Command' || before.prefix.length > 0) return undefined;
  const [document, ...others] = before.redirects;
  if (
    before.name?.value === 'cat' &&
    document?.type === 'HereDoc' &&
    others.length + before.args.length === 0
  )
    return document.delimiter?.quoted || !document.body.parts ? document.body.text : undefined;
  if (document) return undefined;
  const words = before.args.map((arg) => (arg.type === 'Word' ? constantOf(arg) : undefined));
  const [first = '', ...more] = words.filter((word) => word !== undefined);
  if (more.length + 1 !== words.length) return undefined;
  if (before.name?.value === 'echo') return [/^-[neE]+$/.test(first) ? '' : first, ...more].join(' ');
  if (before.name?.value !== 'printf') return undefined;
  if (/^%s(\\n)?$/.test(first)) return more.join('\n');
  return first.includes('%') ? undefined : first.replaceAll('\\n', '\n');
}

/** Does the command right before this one only print a file? */
export function isFromFile({ before }: Stage): boolean {
  return before?.type === 'Command' && before.name?.value === 'cat' && before.args.length > 0;
}

/** The standard input of a command. */
export class Input {
  /** Here-documents and here-strings. */
  readonly texts: readonly Word[];
  /** Files, and descriptors as `/dev/fd/…`. */
  readonly files: readonly Word[];
  readonly stage: Stage | undefined;

  constructor(texts: readonly Word[], files: readonly Word[], stage: Stage | undefined) {
    this.texts = texts;
    this.files = files;
    this.stage = stage;
  }

  /** A command before it in a pipe has this trait. */
  is(trait: Trait): boolean {
    return isBehind(this.stage, trait);
  }
}
