import { type Locale, type Text, text } from '../../contract/text/text.ts';

/**
 * A line for the person or the program that ran the command; a string is data, the same in every language. Throws
 * `OutputClosed` where nobody reads any more.
 */
export function say(words: Text | string): void {
  print(`${told(words)}\n`);
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

/** A line beside the output: notes, warnings. In `serve`, stdout belongs to the protocol. */
export function note(words: Text | string): void {
  process.stderr.write(`${told(words)}\n`);
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
