import { type Text, verbatim } from '../../contract/text/text.ts';

/** No layer can be had, and this is why: a part of a sentence. */
export class NoLayer extends Error {
  readonly why: Text;

  constructor(why: Text) {
    super(why.en);
    this.why = why;
  }
}

/** Why none could be had, in whatever words there are. */
export function whyNone(error: unknown): Text {
  if (error instanceof NoLayer) return error.why;
  return verbatim(error instanceof Error ? error.message : String(error));
}
