import { text } from '../../contract/text/text.ts';
import { DeliveryFailure } from '../failure.ts';
import type { Notice } from '../notice.ts';

export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(words: string): unknown;
}

/** A notification of the terminal: OSC 9 (iTerm2, kitty, WezTerm, Ghostty and others) or 777 (foot, urxvt, VTE). */
export function sendTerminal(
  { title, body }: Notice,
  { form }: { readonly form: 'osc9' | 'osc777' },
  terminal: Terminal,
): void {
  if (terminal.isTTY !== true)
    throw new DeliveryFailure(
      text('The server does not run in a terminal.', 'サーバーはターミナルで動いていません。'),
      { isFinal: true },
    );
  const [head = '', rest = ''] = [title, body].map(onOneLine);
  const words = rest === '' ? head : `${head}: ${rest}`;
  // A semicolon separates the fields of OSC 777; a leading number is another command of OSC 9.
  const sequence = form === 'osc9' ? `9;${words}` : `777;notify;${head.replaceAll(';', ',')};${rest}`;
  terminal.write(`\x1b]${sequence}\x1b\\\x07`);
}

/** Control characters would end the sequence, and the terminal would interpret what follows. */
function onOneLine(words: string): string {
  return words
    .replace(/[\0-\x1f\x7f-\x9f]+/g, ' ')
    .slice(0, 250)
    .trim();
}
