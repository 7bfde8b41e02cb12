import type { Redirection } from 'unbash';
import { literalWord, openWord, type Word } from '../words/word.ts';
import type { Names } from './names.ts';
import { Input, type Stage } from './pipes.ts';
import { readWord } from './words.ts';

/** A command's input by redirections: texts in the script, and files. */
export function readInput(redirects: readonly Redirection[], names: Names, stage: Stage | undefined): Input {
  const texts: Word[] = [];
  const files: Word[] = [];
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor && (descriptor.type !== 'FileDescriptor' || descriptor.value !== 0)) continue;
    if (redirect.type === 'HereDoc') texts.push(documentOf(redirect, names));
    else if (redirect.target) {
      const word = oneWord(readWord(redirect.target, names), redirect.target.text);
      if (redirect.type === 'HereString') texts.push(word);
      else if (redirect.operator.startsWith('<'))
        files.push(redirect.operator === '<&' ? openWord(word.text, '/dev/fd/') : word);
    }
  }
  return new Input(texts, files, stage);
}

/** The single word; otherwise an unknown one. */
export function oneWord([only, ...more]: readonly Word[], text: string): Word {
  return only && more.length === 0 ? only : openWord(text);
}

function documentOf({ body, delimiter }: Redirection & { type: 'HereDoc' }, names: Names): Word {
  if (delimiter?.quoted || !body.parts) return literalWord(body.text);
  const { pos, end, text } = body;
  const parts = [{ type: 'DoubleQuoted', pos, end, text, parts: body.parts } as const];
  return oneWord(
    readWord(
      { type: 'Word', text: `"${text}"`, value: text, pos, end, parts } as Parameters<typeof readWord>[0],
      names,
    ),
    text,
  );
}
