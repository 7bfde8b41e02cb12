import { shellQuote } from '../../../ground/shell-quote.ts';
import { unescaped, type Word } from '../words.ts';

/** awk programs that print what echo, printf and seq print; undefined if that depends on more than the words. */

export function echo(words: readonly Word[]): string | undefined {
  const start = words.findIndex((word) => !/^-[neE]+$/.test(word.text));
  const flags = words
    .slice(0, start < 0 ? words.length : start)
    .map((word) => word.text)
    .join('');
  const said = start < 0 ? [] : words.slice(start);
  // A shell would replace them by file names.
  if (said.some((word) => word.pattern !== undefined)) return undefined;
  const plain = said.map((word) => word.text).join(' ');
  const text = flags.includes('e') ? unescaped(plain) : plain;
  return printing(flags.includes('n') ? text : `${text}\n`);
}

export function printf(words: readonly Word[]): string | undefined {
  const [format, ...values] = words;
  if (!format || words.some((word) => word.pattern !== undefined)) return undefined;
  // Only formats without rounding or padding: plain %s and %d.
  const parts = format.text.split(/(%[sd%])/);
  if (parts.some((part) => !/^%[sd%]$/.test(part) && part.includes('%'))) return undefined;
  const holes = parts.filter((part) => part === '%s' || part === '%d').length;
  const rounds = holes === 0 ? 1 : Math.max(1, Math.ceil(values.length / holes));
  if (parts.includes('%d') && values.some((value) => !/^-?\d+$/.test(value.text))) return undefined;
  const rest = values.map((value) => value.text);
  let text = '';
  for (let round = 0; round < rounds; round++) {
    for (const part of parts) {
      if (part === '%%') text += '%';
      else if (part === '%s') text += rest.shift() ?? '';
      else if (part === '%d') text += rest.shift() ?? '0';
      else text += unescaped(part);
    }
  }
  return printing(text);
}

export function seq(words: readonly Word[]): string | undefined {
  const numbers = words.map((word) => word.text);
  if (numbers.length < 1 || numbers.length > 3 || numbers.some((number) => !/^-?\d{1,15}$/.test(number)))
    return undefined;
  const from = Number(numbers.length > 1 ? numbers[0] : 1);
  const step = Number(numbers.length > 2 ? numbers[1] : 1);
  const to = Number(numbers.at(-1));
  if (step === 0) return undefined;
  const next = step === 1 ? 'i++' : `i += ${step}`;
  return `awk 'BEGIN {for (i = ${from}; i ${step > 0 ? '<=' : '>='} ${to}; ${next}) print i}'`;
}

function printing(text: string): string | undefined {
  if (text.includes('\0')) return undefined;
  const line = text.endsWith('\n');
  const literal = (line ? text.slice(0, -1) : text).replace(/[\\"\n\t\r\p{Cc}]/gu, (found) => {
    const named = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '\r': '\\r' }[found];
    return named ?? `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `awk ${shellQuote(line ? `BEGIN {print "${literal}"}` : `BEGIN {printf "%s", "${literal}"}`)}`;
}
