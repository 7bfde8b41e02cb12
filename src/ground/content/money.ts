import { createHash } from 'node:crypto';

/** Payment data in a text, recognized only by form and check digits. */
export type Money = 'card' | 'account' | 'wallet' | 'wallet-key';

/** The first kind in the text; undefined if there is none. Linear in the text's length. */
export function moneyIn(text: string): Money | undefined {
  for (const [found] of text.matchAll(/\b\d(?:[ -]?\d){12,18}\b/g)) if (isCard(found)) return 'card';
  for (const [found] of text.matchAll(/\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/g))
    if (isAccount(found)) return 'account';
  for (const [found] of text.matchAll(/\b[1-9A-HJ-NP-Za-km-z]{25,52}\b/g)) {
    const bytes = base58(found);
    if (bytes && isChecked(bytes)) return bytes.length > 30 ? 'wallet-key' : 'wallet';
  }
  for (const [found] of text.matchAll(/\bbc1[02-9ac-hj-np-z]{11,71}\b/g))
    if (isBech32(found)) return 'wallet';
  return /[=:]\s?0x[0-9a-f]{40}\b/i.test(text) ? 'wallet' : undefined;
}

/** By the Luhn check, and by the prefixes and lengths of brands. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!/^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12})$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** ISO 13616: with country and check digits moved to the end and letters as numbers, modulo 97 is 1. */
function isAccount(text: string): boolean {
  const turned = text.slice(4) + text.slice(0, 4);
  let rest = 0;
  for (const letter of turned) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(text: string): Buffer | undefined {
  let value = 0n;
  for (const letter of text) value = value * 58n + BigInt(letters.indexOf(letter));
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = value.toString(16);
  const bytes = Buffer.from('00'.repeat(zeros) + (hex.length % 2 === 0 ? hex : `0${hex}`), 'hex');
  return [25, 37, 38].includes(bytes.length) ? bytes : undefined;
}

/** The last four bytes must equal the start of the double hash of the rest. */
function isChecked(bytes: Buffer): boolean {
  const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();
  return sha256(sha256(bytes.subarray(0, -4)))
    .subarray(0, 4)
    .equals(bytes.subarray(-4));
}

const bechLetters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const steps = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** BIP 173 and BIP 350. */
function isBech32(text: string): boolean {
  const prefix = [3, 3, 0, 2, 3];
  const values = [...prefix, ...[...text.slice(3)].map((letter) => bechLetters.indexOf(letter))];
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    steps.forEach((step, place) => {
      if ((top >> place) & 1) check ^= step;
    });
  }
  return check === 1 || check === 0x2bc830a3;
}
