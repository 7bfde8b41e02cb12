import { posixShells, programOf } from '../programs.ts';
import { openWord, type Word } from '../words/word.ts';
import { givenValue, readHead } from './head.ts';
import { type Inner, joined, markedWord } from './inner.ts';

/** xargs adds words of its input at the end, or in place of a marker. */
export function unwrapXargs(words: readonly Word[]): readonly Inner[] {
  const head = readHead(words, {
    valued: 'adEILnPsJRS',
    longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'],
  });
  if (head.rest.length === 0) return [];
  const replaces = head.given.find(({ name }) => /^(I|i|J|replace)$/.test(name));
  if (!replaces) return [{ kind: 'command', words: [...head.rest, openWord('(input of xargs)')] }];
  const marker = givenValue(head, 'IJ', ['replace'])?.value ?? '{}';
  return [{ kind: 'command', words: withMarker(head.rest, marker) }];
}

/** The commands of find's `-exec`, `-execdir`, `-ok` and `-okdir`. */
export function unwrapFind(words: readonly Word[]): readonly Inner[] {
  const inner: Inner[] = [];
  for (let index = 0; index < words.length; index++) {
    if (!/^-(exec|ok)(dir)?$/.test(words[index]?.value ?? '')) continue;
    const start = index + 1;
    for (index = start; index < words.length; index++) {
      if (words[index]?.value === ';') break;
      if (words[index]?.value === '+' && words[index - 1]?.value === '{}') break;
    }
    if (index > start) inner.push({ kind: 'command', words: withMarker(words.slice(start, index), '{}') });
  }
  return inner;
}

/** fd's `-x COMMAND…` and `-X COMMAND…`. */
export function unwrapFd(words: readonly Word[]): readonly Inner[] {
  const at = words.findIndex(({ value }) => /^(-[a-zA-Z]*[xX]|--exec(-batch)?)$/.test(value ?? ''));
  const end = words.findIndex(({ value }, index) => index > at && value === ';');
  const command = at < 0 ? [] : words.slice(at + 1, end < 0 ? undefined : end);
  if (command.length === 0) return [];
  const marked = withMarker(command, '{}');
  const isMarked = marked.some((word, index) => word !== command[index]);
  return [{ kind: 'command', words: isMarked ? marked : [...marked, openWord('{}')] }];
}

/** parallel's command line, in which `{}` stands for an input. */
export function unwrapParallel(words: readonly Word[]): readonly Inner[] {
  const separator = words.findIndex(({ value }) => /^:::?:?\+?$/.test(value ?? ''));
  const { rest } = readHead(separator < 0 ? words : words.slice(0, separator), {
    valued: 'jINnLaPSds',
    longValued: 'jobs arg-file delay halt timeout retries joblog results max-args colsep'.split(' '),
  });
  if (rest.length > 0) return [joined(rest.map((word) => markedWord(word, '{}')))];
  const inputs = words[separator]?.value === ':::' ? words.slice(separator + 1) : [];
  return inputs.map((source) => ({ kind: 'script', source }));
}

/** In `sh -c 'wc -l {}'` the marker is part of a script; any other word with it is unknown. */
function withMarker(words: readonly Word[], marker: string): readonly Word[] {
  const isShell = posixShells.has(programOf(words[0]?.value ?? ''));
  return words.map((word) => {
    const marked = markedWord(word, marker);
    return isShell || marked === word ? marked : openWord(word.text, marked.prefix);
  });
}
