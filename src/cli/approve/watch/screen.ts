import type { ReadStream, WriteStream } from 'node:tty';
import { clipped } from './clipped.ts';

export type Key = 'up' | 'down' | 'enter' | 'escape' | 'backspace' | 'interrupt' | { readonly char: string };

/**
 * The whole terminal while it is open. Its former content returns on close. Takes over the terminal: alternate screen,
 * no cursor, single keys. Pasted text counts as no key, so that a paste into the wrong window answers nothing. Lines
 * consist of a few styled parts, so no library is needed: React for the terminal would be larger than all our other
 * commands together.
 */
export function openScreen(
  input: ReadStream,
  output: WriteStream,
  on: { readonly key: (key: Key) => void; readonly resize: () => void },
) {
  let shown: readonly string[] = [];
  let isPasting = false;
  const data = (bytes: Buffer): void => {
    for (const key of keysIn(bytes.toString('utf8'))) {
      if (key === 'paste') isPasting = true;
      else if (key === 'pasted') isPasting = false;
      else if (!isPasting) on.key(key);
    }
  };
  const resize = (): void => {
    shown = [];
    output.write('\x1b[2J');
    on.resize();
  };
  // Alternate screen, no cursor, no wrapping, pastes marked.
  output.write('\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J');
  input.setRawMode(true);
  input.resume();
  input.on('data', data);
  output.on('resize', resize);
  const size = () => ({ columns: output.columns || 80, rows: output.rows || 24 });
  return {
    size,
    /** Draws these lines; those too long or too many are cut. */
    draw(lines: readonly string[]) {
      const { columns, rows } = size();
      const next = Array.from({ length: rows }, (_, row) => clipped(lines[row] ?? '', columns));
      const changed = next.flatMap((line, row) =>
        line === shown[row] ? [] : [`\x1b[${row + 1};1H\x1b[0m${line}\x1b[0m\x1b[K`],
      );
      shown = next;
      if (changed.length > 0) output.write(changed.join(''));
    },
    close() {
      input.off('data', data);
      output.off('resize', resize);
      input.setRawMode(false);
      input.pause();
      output.write('\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l');
    },
  };
}

/** The keys in a terminal's input, and the beginnings and ends of pastes. */
export function keysIn(sent: string): readonly (Key | 'paste' | 'pasted')[] {
  const pattern = /\x1b\[20[01]~|\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|\x1b[^\x1b[O]|./gsu;
  return [...sent.matchAll(pattern)].flatMap(([part]) => {
    const named = names.get(part);
    if (named !== undefined) return [named];
    return part.length > 2 || part < ' ' ? [] : [{ char: part }];
  });
}

const names = new Map<string, Key | 'paste' | 'pasted'>([
  ['\x1b[200~', 'paste'],
  ['\x1b[201~', 'pasted'],
  ['\x1b[A', 'up'],
  ['\x1bOA', 'up'],
  ['\x1b[B', 'down'],
  ['\x1bOB', 'down'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\x1b', 'escape'],
  ['\x7f', 'backspace'],
  ['\b', 'backspace'],
  ['\x03', 'interrupt'],
  ['\x04', 'interrupt'],
]);
