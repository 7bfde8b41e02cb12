import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import { encodeVisibly } from '../../contract/text/visible-json.ts';

/**
 * A line for the person or the program that ran the command; a string is data, the same in every language. Nothing in
 * it controls a terminal, whoever wrote it. Throws `OutputClosed` where nobody reads any more.
 */
export function say(words: Text | string): void {
  print(`${cleanText(told(words))}\n`);
}

/** A row of a table: no cell begins a row or a column of its own. */
export function sayRow(cells: readonly unknown[]): void {
  say(
    cells
      .map((cell) => cleanLine(String(cell)))
      .join('\t')
      .trimEnd(),
  );
}

/** A value as JSON, on one line unless indented. */
export function sayJson(value: unknown, indent?: number): void {
  print(`${encodeVisibly(value, indent)}\n`);
}

/** In the language of this command. */
export function told(words: Text | string): string {
  return typeof words === 'string' ? words : words[spoken];
}

/** What the person at the terminal reads, from now on. */
export function speak(locale: Locale): void {
  spoken = locale;
}

// Of the process, as its output is: chosen once, before the command line is read.
let spoken: Locale = 'en';

/** Output as it is. Throws `OutputClosed` where nobody reads any more. */
export function print(words: string): void {
  if (problem) throw new OutputClosed(problem);
  process.stdout.write(words);
}

/** A line beside the output, as clean as it: notes, warnings. In `serve`, stdout belongs to the protocol. */
export function note(words: Text | string): void {
  process.stderr.write(`${cleanText(told(words))}\n`);
}

/** What was written can no longer be: the reader has left, as `head` does, or the disk is full. */
export class OutputClosed extends Error {
  readonly isReaderGone: boolean;
  constructor(cause: NodeJS.ErrnoException) {
    const why = cause.code ?? cause.message;
    super(told(text(`The output cannot be written: ${why}.`, `出力を書き込めません: ${why}`)), { cause });
    this.isReaderGone = cause.code === 'EPIPE';
  }
}

// Of the process, as its output is.
let problem: NodeJS.ErrnoException | undefined;

/** From now on a closed output is no crash; the next line and `flushOutput` tell of it. */
export function watchOutput(): void {
  if (process.stdout.listeners('error').includes(remember)) return;
  process.stdout.on('error', remember);
  // Who reads what we note may leave, and nothing depends on it.
  process.stderr.on('error', () => {});
}

function remember(error: Error): void {
  problem ??= error;
}

/** Throws `OutputClosed` where what was written so far could not be. */
export async function flushOutput(): Promise<void> {
  // Pipes and files are written at once; that it failed is told a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  if (problem) throw new OutputClosed(problem);
}
