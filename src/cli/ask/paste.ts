import { PassThrough, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

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

/**
 * A terminal's input in which each paste is one line and types no keys: its line ends do not send the question, and its
 * control characters do nothing.
 */
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
