import type { Redirection, SyntaxNode, Word as SyntaxWord } from 'unbash';
import { isPlainText, textInQuotes } from '../print/quote.ts';
import { readWord } from '../words/read-word.ts';
import { constantAt, unknownWord, type Word, wordOf } from '../words/word.ts';
import { joinedWords } from './joined-words.ts';

/** Its words, and what it reads: texts that stand in the script, and files. */
export function readCommand(node: SyntaxNode & { type: 'Command' }): {
  readonly words: readonly Word[];
  readonly texts: readonly Word[];
  readonly files: readonly Word[];
} {
  const args = joinedWords(node.args).map((part) =>
    part.type === 'Word' ? placed(part) : assignmentWord(part),
  );
  const words = node.name ? [readWord(node.name), ...args] : args;
  const { redirects } = node;
  if (redirects.length === 0) return { words, texts: none, files: none };
  const texts: Word[] = [];
  const files: Word[] = [];
  for (const redirect of redirects) readInput(redirect, texts, files);
  return { words, texts, files };
}

const none: readonly Word[] = [];

/** A word, and where it stands if it is known: a script in it is written anew there. */
export function placed(node: SyntaxWord): Word {
  const { pos, end, text } = node;
  const constant = isPlainText(text) ? text : textInQuotes(text);
  if (constant !== undefined) return constantAt(constant, { pos, end, value: constant }, text);
  const word = readWord(node);
  return word.value === undefined ? word : { ...word, at: { pos, end, value: word.value } };
}

function assignmentWord(node: SyntaxNode & { type: 'Assignment' }): Word {
  const name = `${node.name}${node.index ? `[${node.index.text}]` : ''}${node.append ? '+' : ''}=`;
  if (node.value.type === 'ArrayValue') return unknownWord(node.text, name, true);
  const value = readWord(node.value);
  return wordOf([{ kind: 'literal', text: name, quoted: true }, ...value.pieces], node.text);
}

function readInput(redirect: Redirection, texts: Word[], files: Word[]): void {
  const descriptor = redirect.descriptor;
  if (descriptor && (descriptor.type !== 'FileDescriptor' || descriptor.value !== 0)) return;
  if (redirect.type === 'HereString') {
    if (redirect.target) texts.push(placed(redirect.target));
  } else if (redirect.type === 'HereDoc') {
    texts.push(hereDocument(redirect));
  } else if (redirect.operator.startsWith('<') && redirect.target) {
    const word = readWord(redirect.target);
    files.push(redirect.operator === '<&' ? unknownWord(word.text, '/dev/fd/') : word);
  }
}

function hereDocument(document: Redirection & { type: 'HereDoc' }): Word {
  const { body, delimiter } = document;
  // A document without expansions was written in quotes.
  if (delimiter?.quoted) {
    const { pos, end, text: value } = body;
    return constantAt(value, { pos, end, value, delimiter: delimiter.value }, value);
  }
  if (!body.parts) return unknownWord(body.text);
  const quoted: SyntaxWord = {
    type: 'Word',
    text: body.text,
    value: body.text,
    pos: body.pos,
    end: body.end,
    parts: body.parts,
  };
  return readWord(quoted);
}
