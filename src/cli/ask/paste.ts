import { PassThrough, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Asks a terminal to mark what is pasted, and to stop marking it. */
export const markPastes = '\x1b[?2004h';
export const leavePastes = '\x1b[?2004l';

/** Stands for a line's end within a paste, so that what was pasted is one question and can be seen to be. */
const newline = '␤';
const start = '\x1b[200~';
const end = '\x1b[201~';
/** Longer than the parts of one sequence are ever apart. */
const keyWaitMs = 100;

/** What a person typed, with the lines that they pasted. */
export function pastedLines(line: string): string {
  return line.replaceAll(newline, '\n');
}

/**
 * A terminal's input in which each paste is one line and types no keys: a line's end in it does not send the question,
 * and a control character does nothing.
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
    // Escape alone is a key that was pressed, unless more follows at once.
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
    // The two halves of one line's end may come apart.
    output.write(textOf(endedInReturn && words.startsWith('\n') ? words.slice(1) : words));
    endedInReturn = words.endsWith('\r');
  }

  const { setRawMode } = input as { setRawMode?: (isRaw: boolean) => unknown };
  return Object.assign(output, {
    isTTY: true,
    ...(setRawMode && { setRawMode: (isRaw: boolean) => setRawMode.call(input, isRaw) }),
    /** Leaves the terminal to whoever reads it next. */
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

/** How many characters at the end could be the beginning of the mark. */
function beginningOf(mark: string, words: string): number {
  for (let chars = Math.min(mark.length - 1, words.length); chars > 0; chars -= 1) {
    if (words.endsWith(mark.slice(0, chars))) return chars;
  }
  return 0;
}
