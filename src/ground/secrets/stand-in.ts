import { randomInt } from 'node:crypto';
import type { Carrying } from '../../contract/capabilities/secrets.ts';
import { type Text, text } from '../../contract/text/text.ts';

/**
 * A random text in the place of a credential: equally long, with the same kinds of characters in the same places, so that
 * programs which check the form take it, and each encoding of it is as long as that of the credential. A known start
 * (`ghp_`, `sk-`, `AKIA`) stays, as does the head of a JSON web token.
 */
export function standInFor(value: string): string {
  const start = startOf(value);
  return start + [...value.slice(start.length)].map(another).join('');
}

/** Shorter ones cannot be told from other text. */
const leastSecretChars = 12;
const mostSecretChars = 4096;

/** Why a value cannot be a credential here; undefined if it can. */
export function whyUnfit(value: string, as: readonly Carrying[]): Text | undefined {
  if (value.length < leastSecretChars)
    return text(
      'The value is too short to be told from other text: at least 12 characters.',
      '値が短すぎて他の文字列と区別できません。12 文字以上にしてください。',
    );
  if (value.length > mostSecretChars)
    return text(
      `The value is too long: at most ${mostSecretChars} characters.`,
      `値が長すぎます。${mostSecretChars} 文字までです。`,
    );
  if (!/^[\x20-\x7e]+$/.test(value) || value !== value.trim())
    return text(
      'The value must be one line of printable ASCII characters, without spaces at its ends.',
      '値は 1 行の印字可能な ASCII 文字で、前後に空白のないものにしてください。',
    );
  if (as.includes('sigv4') && !/^[\w.-]{8,128}:[^:\s]{8,}(:[^:\s]{8,})?$/.test(value))
    return text(
      'The value must be ID:SECRET, or ID:SECRET:TOKEN for a key of AWS that expires.',
      '値は ID:SECRET、または期限付きの AWS キーなら ID:SECRET:TOKEN の形にしてください。',
    );
  const rest = value.slice(startOf(value).length);
  if ((rest.match(/[A-Za-z\d]/g) ?? []).length >= leastSecretChars - 4) return undefined;
  return text(
    'The value has too few letters and digits to be told from other text.',
    '値の英数字が少なすぎて他の文字列と区別できません。',
  );
}

/** What programs recognize a kind of credential by; never more than a third of it. */
function startOf(value: string): string {
  const [head = ''] =
    /^eyJ[\w-]{10,200}\.(?=[\w-]{10,}\.)|^(?:[A-Za-z]{2,10}[-_]){1,3}|^A[KS]IA/.exec(value) ?? [];
  return head.length * 3 <= value.length ? head : '';
}

function another(char: string): string {
  for (const kind of kinds) if (kind.includes(char)) return kind.charAt(randomInt(kind.length));
  return char;
}

const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
