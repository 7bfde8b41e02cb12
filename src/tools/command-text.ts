import { limits } from '../contract/limits.ts';
import { type Text, text } from '../contract/text/text.ts';
import { inputRule } from '../contract/tool/input-rule.ts';

/** Rules of text that becomes a command or its input, for `refine`. */

export const withoutNul = [
  (words: string) => !words.includes('\0'),
  inputRule('must not contain NUL', 'NUL 文字を含められません'),
] as const;

export const atMostBytes = inBytes(
  text(
    `must be at most ${limits.commandBytes} bytes`,
    `${limits.commandBytes} バイト以下でなければなりません`,
  ),
);

/** The same with another message. */
export function inBytes(message: Text) {
  const fits = (words: string | readonly string[]) =>
    Buffer.byteLength(typeof words === 'string' ? words : words.map((word) => `${word} `).join('')) <=
    limits.commandBytes;
  return [fits, inputRule(message)] as const;
}
