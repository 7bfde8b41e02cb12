import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { leavePastes, markPastes, pastedLines, withPastesAsText } from './paste.ts';

/** Lines that a person types, or that come through a pipe. */
export interface Lines {
  /** The next line; undefined at the end of the input. */
  next(prompt: string): Promise<string | undefined>;
  /** A line typed after this prompt was shown: text typed ahead never answers a question. */
  answer(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Prints a message while the person may be typing, and shows their line again. */
  remark(words: string): void;
  /** Clears the typed line. Returns whether there was any text. */
  clear(): boolean;
  close(): void;
}

export interface LinesOptions {
  readonly input: Readable;
  /** The stream for prompts. */
  readonly output: Writable;
  readonly isTerminal: boolean;
  /** Ctrl-C: a terminal that is read line by line sends no signal for it. */
  onInterrupt(): void;
}

export function openLines({ input, output, isTerminal, onInterrupt }: LinesOptions): Lines {
  const marksPastes = isTerminal && (output as { readonly isTTY?: boolean }).isTTY === true;
  const source = isTerminal ? withPastesAsText(input) : input;
  if (marksPastes) output.write(markPastes);
  const reader = createInterface({
    input: source,
    output: isTerminal ? output : undefined,
    terminal: isTerminal,
  });
  const ahead: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let ended = false;

  function settle(line: string | undefined): void {
    const settled = waiting;
    waiting = undefined;
    settled?.(line);
  }

  reader.on('line', (typed) => {
    const line = isTerminal ? pastedLines(typed) : typed;
    if (waiting) {
      settle(line);
      return;
    }
    ahead.push(line);
    // A pipe can wait; a paused terminal would not notice Ctrl-C.
    if (!isTerminal) reader.pause();
  });
  reader.on('close', () => {
    ended = true;
    if (isTerminal) {
      source.destroy();
      // The next output, usually a shell's prompt, begins on a new line.
      if (waiting) output.write('\n');
    }
    if (marksPastes) output.write(leavePastes);
    settle(undefined);
  });
  reader.on('SIGINT', onInterrupt);

  function read(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    if (ended || signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const give = () => settle(undefined);
      signal?.addEventListener('abort', give, { once: true });
      waiting = (line) => {
        signal?.removeEventListener('abort', give);
        resolve(line);
      };
      if (isTerminal) {
        reader.setPrompt(prompt);
        reader.prompt();
      } else {
        reader.resume();
      }
    });
  }

  function clear(): boolean {
    if (!isTerminal || reader.line === '') return false;
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    return true;
  }

  return {
    next(prompt) {
      const line = ahead.shift();
      return line === undefined ? read(prompt) : Promise.resolve(line);
    },
    answer(prompt, signal) {
      // Text already on the line was not meant for this question either.
      clear();
      return read(prompt, signal);
    },
    remark(words) {
      output.write(`\n${words}\n`);
      if (isTerminal && waiting) reader.prompt(true);
    },
    clear,
    close: () => reader.close(),
  };
}
