import { literalWord, mayBeOption, unknownWord, type Word } from '../words.ts';
import { type Inner, replaceMarker } from './inner.ts';

const executes = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** The commands of find's `-exec`, `-execdir`, `-ok` and `-okdir`, with `{}` known to begin like a start path. */
export function unwrapFind(words: readonly Word[]): readonly Inner[] {
  const inner: Inner[] = [];
  const start = startPrefix(words);
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    if (mayBeOption(word)) {
      inner.push({ kind: 'unread', rule: 'wrapper-unread', word });
      continue;
    }
    if (!executes.has(word.value ?? '')) continue;
    const removes = removers.has(words[index + 1]?.value ?? '');
    const below = removes && !word.value?.endsWith('dir') ? chosenBelow(words) : undefined;
    const prefix = word.value?.endsWith('dir') ? './' : start;
    const command: Word[] = [];
    for (index++; index < words.length; index++) {
      const next = words[index] as Word;
      if (next.value === ';') break;
      if (next.value === '+' && words[index - 1]?.value === '{}') break;
      const replaced = replaceMarker(next, '{}', prefix);
      command.push(below && next.value === '{}' ? { ...replaced, below } : replaced);
    }
    if (command.length > 0) inner.push({ kind: 'command', words: command });
  }
  return inner;
}

/** Programs that remove what they are given; find's own rule looks at what it starts them on. */
export const removers: ReadonlySet<string> = new Set([
  'rm',
  'unlink',
  'shred',
  'truncate',
  '/bin/rm',
  '/usr/bin/rm',
  'srm',
]);

/** Where find starts, if it chooses by names that say something, and follows no link. */
function chosenBelow(words: readonly Word[]): readonly Word[] | undefined {
  const byName = (at: number) => /^-i?(name|path|wholename)$/.test(words[at]?.value ?? '');
  const isNot = (at: number) => /^(!|-not)$/.test(words[at]?.value ?? '');
  const names = words.filter((_, at) => byName(at - 1) && !isNot(at - 2));
  if (names.length === 0 || !names.every(({ value }) => /\w/.test(value ?? ''))) return undefined;
  const widens = words.some(({ value = '' }, at) =>
    /^-(o|or)$/.test(value)
      ? !byName(at + 1)
      : isNot(at)
        ? !/^-[a-z]/.test(words[at + 1]?.value ?? '') || words[at + 1]?.value === '-not'
        : /^(,|-follow|-files0-from|-[HL]+|-true)$/.test(value),
  );
  if (widens) return undefined;
  const starts = startWords(words);
  return starts.length === 0 ? [literalWord('.')] : starts;
}

/** What every path that find prints begins with, if that is known. */
export function startPrefix(words: readonly Word[]): string {
  const starts = startWords(words);
  if (words.some((word) => word.value === '-files0-from')) return '';
  if (starts.length === 0) return './';
  return starts.length === 1
    ? (starts[0] as Word).prefix
    : /^[./]/.test(starts[0]?.prefix ?? '')
      ? './'
      : 'x';
}

function startWords(words: readonly Word[]): readonly Word[] {
  const starts: Word[] = [];
  for (const word of words) {
    if (/^-[HLPO]/.test(word.prefix) || word.prefix === '-D') continue;
    if (/^[-(!]/.test(word.prefix) || mayBeOption(word)) break;
    starts.push(word);
  }
  return starts;
}

/** fd's `-x COMMAND…` and `-X COMMAND…`. */
export function unwrapFd(words: readonly Word[]): readonly Inner[] {
  const inner: Inner[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    if (mayBeOption(word)) {
      inner.push({ kind: 'unread', rule: 'wrapper-unread', word });
      continue;
    }
    if (word.value === '--') break;
    const attached = /^--exec(?:-batch)?=(.*)$/s.exec(word.prefix);
    const short = /^-[a-zA-Z]*?[xX](.*)$/s.exec(word.value ?? '');
    if (!attached && !short && !isExec(word.value)) continue;
    const command: Word[] = [];
    const glued = attached?.[1] ?? short?.[1];
    if (glued) command.push(unknownOrLiteral(glued));
    for (index++; index < words.length && words[index]?.value !== ';'; index++) {
      command.push(replaceFd(words[index] as Word));
    }
    if (command.length === 0) continue;
    if (!command.some((part) => part.value === undefined)) command.push(unknownWord('{}', './', true));
    inner.push({ kind: 'command', words: command });
  }
  return inner;
}

function isExec(value: string | undefined): boolean {
  return (
    value !== undefined && value.length > 4 && '--exec-batch'.startsWith(value) && value.startsWith('--exe')
  );
}

function replaceFd(word: Word): Word {
  for (const marker of ['{}', '{/}', '{//}', '{.}', '{/.}']) {
    const replaced = replaceMarker(word, marker, marker.startsWith('{/') ? '' : './');
    if (replaced !== word) return replaced;
  }
  return word;
}

function unknownOrLiteral(text: string): Word {
  return { value: text, prefix: text, text, pieces: [{ kind: 'literal', text, quoted: true }] };
}
