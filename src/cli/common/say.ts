import { setImmediate as nextTurn } from 'node:timers/promises';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, readSaid, type Said, type Text, text } from '../../contract/text/text.ts';
import { encodeVisibly } from '../../contract/text/visible-json.ts';

/**
 * Prints a line for the person or the program that ran the command; a string alone is data, the same in every language.
 * The text cannot control a terminal. Throws `OutputClosed` if the reader is gone.
 */
export function say(...words: Words): void {
  print(`${cleanText(inLocale(...words))}\n`);
}

/** A row of a table: no cell can start another row or column. */
export function sayRow(cells: readonly unknown[]): void {
  say(
    cells
      .map((cell) => cleanLine(String(cell)))
      .join('\t')
      .trimEnd(),
  );
}

/** Prints a list: as JSON for a program, else each as a row; `none` says that there are none. */
export function sayList<T>(
  list: readonly T[],
  { json }: { readonly json?: unknown },
  cellsOf: (each: T) => readonly unknown[],
  none?: Text,
): void {
  if (json) sayJson(list);
  else for (const each of list) sayRow(cellsOf(each));
  if (!json && none && list.length === 0) say(none);
}

/** Says whether an act found what it was for, and returns the exit code. */
export function sayWhether(isDone: boolean, done: Text, notDone: Text): number {
  say(isDone ? done : notDone);
  return isDone ? 0 : 1;
}

/** A value as JSON, on one line unless indented. */
export function sayJson(value: unknown, indent?: number): void {
  print(`${encodeVisibly(value, indent)}\n`);
}

/** Text in both languages, or data. */
type Words = Said<never> | readonly [words: Text | string];

/** The text in the language of this command. */
export function inLocale(...words: Words): string {
  const [only, other] = words;
  if (typeof only === 'string' && other === undefined) return only;
  return readSaid(words as Said<never>).text[spoken];
}

/** Sets the language of the person at the terminal. */
export function speak(locale: Locale): void {
  spoken = locale;
}

// Global like the output: chosen once, before the command line is read.
let spoken: Locale = 'en';

/** Prints raw output. Throws `OutputClosed` if the reader is gone. */
export function print(words: string): void {
  if (problem) throw new OutputClosed(problem);
  process.stdout.write(words);
}

/** Prints a cleaned line to stderr: notes, warnings. In `serve`, stdout belongs to the protocol. */
export function note(...words: Words): void {
  process.stderr.write(`${cleanText(inLocale(...words))}\n`);
}

/** Output can no longer be written: the reader has left, as `head` does, or the disk is full. */
export class OutputClosed extends Error {
  readonly isReaderGone: boolean;
  constructor(cause: NodeJS.ErrnoException) {
    const why = cause.code ?? cause.message;
    super(inLocale(text(`The output cannot be written: ${why}.`, `出力を書き込めません: ${why}`)), { cause });
    this.isReaderGone = cause.code === 'EPIPE';
  }
}

// Global like the output.
let problem: NodeJS.ErrnoException | undefined;

/** From now on a closed output is no crash; the next line and `flushOutput` throw it. */
export function watchOutput(): void {
  if (process.stdout.listeners('error').includes(remember)) return;
  process.stdout.on('error', remember);
  // The reader of stderr may leave; nothing depends on it.
  process.stderr.on('error', () => {});
}

function remember(error: Error): void {
  problem ??= error;
}

/** Throws `OutputClosed` if output so far could not be written. */
export async function flushOutput(): Promise<void> {
  // Pipes and files are written at once; an error is reported a moment later.
  await nextTurn();
  if (problem) throw new OutputClosed(problem);
}
