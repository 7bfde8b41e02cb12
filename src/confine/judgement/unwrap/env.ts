import { printsSettings } from '../words/settings-file.ts';
import { hasTilde, literalWord, type Word } from '../words/word.ts';
import { readHead } from './head.ts';
import { type Inner, joined, unread } from './inner.ts';

/** env's assignments, its folder and its command, which `-S` may hold in one word. */
export function unwrapEnv(given: readonly Word[]): readonly Inner[] {
  const words = given.filter((word) => !printsSettings(word));
  const head = readHead(words, {
    flags: 'iv0',
    valued: 'uCSP',
    long: [
      'ignore-environment',
      'null',
      'debug',
      'block-signal',
      'default-signal',
      'ignore-signal',
      'list-signal-handling',
    ],
    longValued: ['unset', 'chdir', 'split-string', 'argv0'],
    assignments: true,
  });
  if ('pieces' in head) return [unread(head)];
  const inner: Inner[] = head.assignments.map((word) => ({ kind: 'assignment', word }));
  for (const option of head.given) {
    const name = option.name;
    if (option.value && (name === 'C' || (option.long && 'chdir'.startsWith(name)))) {
      inner.push({ kind: 'folder', word: option.value });
    }
    if (option.value && (name === 'S' || (option.long && 'split-string'.startsWith(name)))) {
      // Its escapes, variables and comments are its own; what else it reads, a shell reads alike.
      if (option.value.value === undefined || /[\\$#]/.test(option.value.value))
        return [...inner, unread(option.value)];
      const rest = words.slice(endOfSplit(words, option.value) + 1);
      return [...inner, joined([literalWord('env'), option.value, ...rest.map(quoted)])];
    }
  }
  return head.rest.length === 0 ? inner : [...inner, { kind: 'command', words: head.rest }];
}

/** Where `-S` and its value end: what follows belongs to the command, also where it looks like an option of env. */
function endOfSplit(words: readonly Word[], value: Word): number {
  const at = words.indexOf(value);
  return at >= 0 ? at : words.findIndex(({ prefix }) => /^(-[iv0]*S|--s)/.test(prefix));
}

function quoted(word: Word): Word {
  // A tilde means a folder only where no quotes are around it.
  if (hasTilde(word)) return /^~[\w/.-]*$/.test(word.value ?? '') ? word : { ...word, value: undefined };
  return word.value === undefined ? word : literalWord(`'${word.value.replaceAll("'", "'\\''")}'`);
}
