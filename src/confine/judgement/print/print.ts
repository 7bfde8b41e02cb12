import { type ParsedScript, parse } from 'unbash';
import { printExpansion } from './expansions.ts';
import { around, Differing, type Origins, Page, Unprintable } from './page.ts';
import { printScript } from './script.ts';
import { printWord } from './words.ts';

/** A script as it runs: written anew from what was read of it. */
export interface Printed {
  readonly text: string;
  /** What the parser reads in the printed text. */
  readonly script: ParsedScript;
  readonly origins: Origins;
  /** How many pieces it was written in. */
  readonly steps: number;
}

export type Write = (source: string) => Printed;

/**
 * Writes a script anew from the tree that was read, so that what runs is what was judged, whatever another reader
 * would have made of the first text. Throws `Unprintable` for what cannot be said plainly, or reads back otherwise.
 */
export function print(source: string): Printed {
  // Half of a character becomes another one on its way to a shell.
  if (!source.isWellFormed()) throw new Unprintable('unclear', source.toWellFormed());
  const read = parse(source);
  const { text, origins, steps } = printTree(source, read);
  if (text === source) return { text, script: read, origins, steps };
  const script = parse(text);
  try {
    printTree(text, script, text);
  } catch (error) {
    if (error instanceof Differing) throw new Unprintable('unclear', source);
    throw error;
  }
  return { text, script, origins, steps };
}

/** Returns what cannot be printed instead of throwing it. */
export function tryWriting(write: Write, source: string): Printed | Unprintable {
  try {
    return write(source);
  } catch (error) {
    if (error instanceof Unprintable) return error;
    throw error;
  }
}

const printers = { script: printScript, word: printWord, expansion: printExpansion };

function printTree(source: string, script: ParsedScript, expected?: string) {
  const [error] = script.errors ?? [];
  if (error) throw new Unprintable('parse-error', around(source, error.pos));
  const page = new Page(source, printers, expected);
  printScript(page, script);
  return page.finish();
}
