import { readSaid, type Said, type Text, verbatim } from '../../contract/text/text.ts';

/** No layer is possible; `why` is a part of a sentence. */
export class NoLayer extends Error {
  readonly why: Text;

  constructor(...said: Said<never>) {
    const { text: why } = readSaid(said);
    super(why.en);
    this.why = why;
  }
}

/** The reason for an error, translated if it is a `NoLayer`. */
export function whyNone(error: unknown): Text {
  if (error instanceof NoLayer) return error.why;
  return verbatim(error instanceof Error ? error.message : String(error));
}
