import type { SyntaxNode } from 'unbash';
import type { Word } from '../words/word.ts';
import { constantOf } from './words.ts';

/** A property of a command's output that matters to later commands in the pipe. */
export type Trait = 'fetches' | 'decodes';

/** A pipeline, with the first stage for each trait. */
class Pipe {
  readonly #first = new Map<Trait, number>();

  note(trait: Trait, stage: number): void {
    this.#first.set(trait, Math.min(stage, this.first(trait)));
  }

  first(trait: Trait): number {
    return this.#first.get(trait) ?? Number.POSITIVE_INFINITY;
  }
}

/** The position of a command in a pipeline, and of that pipeline in an outer one. */
export interface Stage {
  readonly pipe: Pipe;
  readonly index: number;
  readonly before: SyntaxNode | undefined;
  readonly outer: Stage | undefined;
}

/** The stages of a pipeline in order. */
export function stagesOf(commands: readonly SyntaxNode[], outer: Stage | undefined): readonly Stage[] {
  const pipe = new Pipe();
  return commands.map((_, index) => ({ pipe, index, before: commands[index - 1], outer }));
}

export function noteTrait(stage: Stage | undefined, trait: Trait): void {
  for (let at = stage; at; at = at.outer) at.pipe.note(trait, at.index);
}

/** The text that the previous command writes into the pipe, if its words tell all of it. */
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

/** The standard input of a command. */
export class Input {
  /** Here-documents and here-strings. */
  readonly texts: readonly Word[];
  /** Files; descriptors are named `/dev/fd/…`. */
  readonly files: readonly Word[];
  readonly stage: Stage | undefined;

  constructor(texts: readonly Word[], files: readonly Word[], stage: Stage | undefined) {
    this.texts = texts;
    this.files = files;
    this.stage = stage;
  }

  /** Does an earlier command in a pipe have this trait? */
  is(trait: Trait): boolean {
    for (let at = this.stage; at; at = at.outer) if (at.pipe.first(trait) < at.index) return true;
    return false;
  }
}
