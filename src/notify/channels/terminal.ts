import { text } from '../../contract/text/text.ts';
import { DeliveryFailure } from '../failure.ts';
import type { Notice } from '../notice.ts';

export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(words: string): unknown;
}

/**
 * A notice of the terminal that the server runs in: OSC 9 (iTerm2, kitty, WezTerm, Windows Terminal, Ghostty) or OSC 777
 * (foot, urxvt, VTE). Where neither is known nothing is shown.
 */
export function sendTerminal(
  { title, body }: Notice,
  { form }: { readonly form: 'osc9' | 'osc777' },
  terminal: Terminal,
): void {
  if (terminal.isTTY !== true) {
    throw new DeliveryFailure(
      text('The server does not run in a terminal.', 'サーバーはターミナルで動いていません。'),
      { isFinal: true },
    );
  }
  const [head = '', rest = ''] = [title, body].map(onOneLine);
  const words = rest === '' ? head : `${head}: ${rest}`;
  // A semicolon parts the fields of OSC 777; a number first would be another command of OSC 9.
  const sequence = form === 'osc9' ? `9;${words}` : `777;notify;${head.replaceAll(';', ',')};${rest}`;
  terminal.write(`\x1b]${sequence}\x1b\\\x07`);
}

/** Controls would end the sequence, and what follows them would be the terminal's to obey. */
function onOneLine(words: string): string {
  return words
    .replace(/[\0-\x1f\x7f-\x9f]+/g, ' ')
    .slice(0, 250)
    .trim();
}
