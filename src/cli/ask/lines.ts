import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Lines that a person types, or that come through a pipe. */
export type Lines = ReturnType<typeof openLines>;

export interface LinesOptions {
  readonly input: Readable;
  /** The stream for prompts. */
  readonly output: Writable;
  readonly isTerminal: boolean;
  /** Ctrl-C: a terminal that is read line by line sends no signal for it. */
  onInterrupt(): void;
}

export function openLines({ input, output, isTerminal, onInterrupt }: LinesOptions) {
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

  /** Clears the typed line. Returns whether there was any text. */
  function clear(): boolean {
    if (!isTerminal || reader.line === '') return false;
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    return true;
  }

  return {
    /** The next line; undefined at the end of the input. */
    next(prompt: string): Promise<string | undefined> {
      const line = ahead.shift();
      return line === undefined ? read(prompt) : Promise.resolve(line);
    },
    /** A line typed after this prompt was shown: text typed ahead never answers a question. */
    answer(prompt: string, signal: AbortSignal): Promise<string | undefined> {
      // Text already on the line was not meant for this question either.
      clear();
      return read(prompt, signal);
    },
    /** Prints a message while the person may be typing, and shows their line again. */
    remark(words: string) {
      output.write(`\n${words}\n`);
      if (isTerminal && waiting) reader.prompt(true);
    },
    clear,
    close: () => reader.close(),
  };
}

/** Makes a terminal mark pasted text, and stop marking it. */
export const markPastes = '\x1b[?2004h';
export const leavePastes = '\x1b[?2004l';

/** Replaces a line end within a paste, so that the paste is one question and visibly so. */
const newline = '␤';
const start = '\x1b[200~';
const end = '\x1b[201~';
/** Longer than the parts of one sequence are ever apart. */
const keyWaitMs = 100;

/** The typed text, with the line ends of pastes restored. */
export function pastedLines(line: string): string {
  return line.replaceAll(newline, '\n');
}

/** A terminal's input in which a paste is one line: its line ends send nothing, its control characters do nothing. */
export function withPastesAsText(input: Readable): Readable {
  const decoder = new StringDecoder('utf8');
  const output = new PassThrough();
  let isPasting = false;
  let held = '';
  let endedInReturn = false;
  let waiting: NodeJS.Timeout | undefined;
  input.on('data', take);
  input.once('end', () => {
    output.write(held + decoder.end());
    output.end();
  });

  function take(chunk: Buffer | string): void {
    let words = held + (typeof chunk === 'string' ? chunk : decoder.write(chunk));
    held = '';
    for (;;) {
      const mark = isPasting ? end : start;
      const at = words.indexOf(mark);
      if (at === -1) break;
      pass(words.slice(0, at));
      words = words.slice(at + mark.length);
      isPasting = !isPasting;
    }
    const kept = beginningOf(isPasting ? end : start, words);
    held = words.slice(words.length - kept);
    pass(words.slice(0, words.length - kept));
    // Escape alone is a pressed key, unless more follows at once.
    clearTimeout(waiting);
    if (held !== '' && !isPasting) waiting = setTimeout(release, keyWaitMs).unref();
  }

  function release(): void {
    output.write(held);
    held = '';
  }

  function pass(words: string): void {
    if (words === '') return;
    if (!isPasting) {
      output.write(words);
      return;
    }
    // The two halves of a CRLF may arrive separately.
    output.write(textOf(endedInReturn && words.startsWith('\n') ? words.slice(1) : words));
    endedInReturn = words.endsWith('\r');
  }

  const { setRawMode } = input as { setRawMode?: (isRaw: boolean) => unknown };
  return Object.assign(output, {
    isTTY: true,
    ...(setRawMode && { setRawMode: (isRaw: boolean) => setRawMode.call(input, isRaw) }),
    /** Leaves the terminal to its next reader. */
    destroy(this: PassThrough) {
      input.off('data', take);
      input.pause();
      return PassThrough.prototype.destroy.call(this);
    },
  });
}

function textOf(pasted: string): string {
  return pasted
    .replace(/\r\n?|\n/g, newline)
    .replaceAll('\t', '    ')
    .replace(/[\x00-\x1f\x7f]/g, '');
}

/** The number of characters at the end that could begin the mark. */
function beginningOf(mark: string, words: string): number {
  for (let chars = Math.min(mark.length - 1, words.length); chars > 0; chars -= 1) {
    if (words.endsWith(mark.slice(0, chars))) return chars;
  }
  return 0;
}
