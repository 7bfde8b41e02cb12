import type { OutgoingSecret } from '../../contract/policy.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { carriesData } from '../../ground/content/host-names.ts';
import { type Money, moneyIn } from '../../ground/content/money.ts';
import { holdsPassword, isSeedPhrase } from '../../ground/content/passwords.ts';
import { decoded } from '../../ground/decoded.ts';
import { holdsCredential } from '../../ground/secrets/without-secrets.ts';
import { runsCommands } from '../policy/rule.ts';

const maxDepth = 12;
const maxDecodings = 2;
const maxChars = 1 << 20;
const hidden = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Finds a secret that a call would send to others, plain or encoded, in any argument: address, host name, header or
 * body. Commands' destinations are listed and judged elsewhere.
 */
export function outgoingSecret(tool: Tool, input: unknown): OutgoingSecret | undefined {
  if (!tool.annotations.openWorld || runsCommands(tool)) return undefined;
  // A bank's tool needs account numbers; a web address with one carries it away.
  const isWeb = namesAddress(input, 0);
  return secretIn(input, '', 0, isWeb);
}

function secretIn(
  value: unknown,
  argument: string,
  depth: number,
  isWeb: boolean,
): OutgoingSecret | undefined {
  if (typeof value === 'string') return inText(value.slice(0, maxChars), argument, isWeb);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
  let before = '';
  for (const [name, member] of Object.entries(value)) {
    const path = argument === '' ? name : `${argument}.${name}`;
    const found = secretIn(member, path, depth + 1, isWeb) ?? inText(name, path, false);
    if (found) return found;
    if (typeof member !== 'string' || member.length > 200) continue;
    // One credential split over two arguments.
    if (before !== '' && holdsCredential(before + member)) return secret(path, credential, false);
    before = member;
  }
  return undefined;
}

function inText(words: string, argument: string, isWeb: boolean): OutgoingSecret | undefined {
  const plain = words.replace(hidden, '');
  const found = whatIn(plain, isWeb, 0);
  if (found) return secret(argument, found.what, found.isEncoded || plain !== words);
  for (const [, host = ''] of plain.matchAll(
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/@]{0,200}@)?([\w.-]{4,253})/gi,
  ))
    if (carriesData(host)) return secret(argument, hostData, true);
  if (isWeb && /%25(?:25)+[0-9a-f]{2}/i.test(plain)) return secret(argument, manyLayers, true);
  return undefined;
}

function whatIn(
  words: string,
  isWeb: boolean,
  decodings: number,
): { readonly what: Text; readonly isEncoded: boolean } | undefined {
  const isEncoded = decodings > 0;
  if (holdsCredential(words)) return { what: credential, isEncoded };
  if (holdsPassword(words)) return { what: password, isEncoded };
  if (isSeedPhrase(words)) return { what: money['wallet-key'], isEncoded };
  const paid = moneyIn(words);
  if (paid && (isWeb || paid === 'wallet-key')) return { what: money[paid], isEncoded };
  if (decodings === maxDecodings || words.length < 12) return undefined;
  for (const word of wordsOf(words)) {
    const inner = decoded(word);
    const found = inner === undefined ? undefined : whatIn(inner, isWeb, decodings + 1);
    if (found) return found;
  }
  return undefined;
}

/** The parts that could each be encoded: words, parts of an address, and the joined labels of a host name. */
function wordsOf(words: string): readonly string[] {
  return words
    .split(/[\s"'<>()[\]{},;]+/)
    .flatMap((word) => [word, ...word.split(/[?&=#:/.]+/), labelsOf(word), withoutMarks(word)])
    .filter((word) => word !== '');
}

/** Data can hide below a domain in any number of labels. */
function labelsOf(word: string): string {
  const [host = ''] = word.replace(/^\w+:\/\//, '').split(/[/?#:]/);
  return host.split('.').slice(0, -2).join('');
}

/** Hex with a separator between its bytes: `41-4b-49`. */
function withoutMarks(word: string): string {
  const [found] = /(?:[0-9a-f]{2}[-:_.]){7,}[0-9a-f]{2}/i.exec(word.slice(0, 4096)) ?? [];
  return found === undefined ? '' : found.replace(/[-:_.]/g, '');
}

function namesAddress(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value.trimStart());
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false;
  return Object.values(value).some((member) => namesAddress(member, depth + 1));
}

function secret(argument: string, what: Text, isEncoded: boolean): OutgoingSecret {
  return { argument, what, isEncoded };
}

const credential = text('a credential', '認証情報');
const password = text('a password', 'パスワード');
const hostData = text('data in a host name', 'ホスト名に含めたデータ');
const manyLayers = text('text behind three layers of percent signs', '三重にパーセント符号化された文字列');
const money: Readonly<Record<Money, Text>> = {
  card: text('the number of a payment card', '支払いカードの番号'),
  account: text('the number of a bank account', '銀行口座の番号'),
  wallet: text('the address of a wallet', 'ウォレットのアドレス'),
  'wallet-key': text('the key of a wallet', 'ウォレットの秘密鍵'),
};
