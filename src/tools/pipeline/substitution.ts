import { text } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import { onFiles } from './lessons/per-file.ts';
import { isWord, rawOf, type Token, tokenize, type Word } from './words.ts';

/** Refuses a word that a shell would have expanded before the command saw it. */
export function refuseDynamic(tokens: readonly Token[], word: Word): void {
  if (word.home)
    throw new GuardViolation('PATH_ESCAPE', '~ is outside the workspace.', '~ は作業フォルダーの外です。', [
      replaceWord(tokens, word, shellQuote(word.text.replace(/^~[^/]*\/?/, '') || '.')),
    ]);
  if (word.dynamic === undefined) return;
  const literal: Remedy = replaceWord(tokens, word, shellQuote(word.text));
  if (/^\$['"]/.test(word.dynamic))
    throw new GuardViolation(
      'SUBSTITUTION',
      `${word.dynamic} is not supported here. Write the characters themselves in single quotes.`,
      `${word.dynamic} は使えません。文字そのものを一重引用符で囲んでください。`,
      [literal],
    );
  const inner = /^(?:\$\(|`)(.*?)[)`]?$/s.exec(word.dynamic)?.[1];
  if (inner !== undefined && !word.dynamic.startsWith('$(('))
    throw new GuardViolation(
      'SUBSTITUTION',
      `${word.dynamic} is not expanded here. Run the inner command first, then write its result in its place.`,
      `${word.dynamic} は展開されません。内側のコマンドを先に実行し、その結果を書いてください。`,
      [...onFoundNames(tokens, word, inner), inner],
    );
  throw new GuardViolation(
    'SUBSTITUTION',
    `${word.dynamic} is not expanded here: there are no variables or substitutions. Use single quotes for a literal $.`,
    `${word.dynamic} は展開されません (変数や置換はありません)。文字としての $ は一重引用符で囲んでください。`,
    [literal, text('Write the value itself.', '値そのものを書いてください。')],
  );
}

/** `wc -l $(fd -e ts)`: one pipeline that reads the found files. */
function onFoundNames(tokens: readonly Token[], word: Word, inner: string): Remedy[] {
  const at = tokens.indexOf(word);
  const isPipe = (token: Token | undefined) => token !== undefined && !isWord(token);
  let start = at;
  while (start > 0 && !isPipe(tokens[start - 1])) start--;
  let end = at;
  while (end + 1 < tokens.length && !isPipe(tokens[end + 1])) end++;
  const found = innerWords(inner);
  const [finder, ...search] = found ?? [];
  const command = tokens
    .slice(start, end + 1)
    .filter((token): token is Word => isWord(token) && token !== word);
  if (!finder || word.raw !== word.dynamic) return [];
  const same = onFiles({ finder: finder.text, found: search, command, together: true });
  if (same === undefined) return [];
  return [[rawOf(tokens.slice(0, start)), same, rawOf(tokens.slice(end + 1))].join(' ').trim()];
}

function innerWords(inner: string): Word[] | undefined {
  try {
    const tokens = tokenize(inner);
    return tokens.every(isWord) ? tokens : undefined;
  } catch {
    return undefined;
  }
}

function replaceWord(tokens: readonly Token[], word: Word, raw: string): string {
  return rawOf(tokens.map((token) => (token === word ? { ...word, raw } : token)));
}
