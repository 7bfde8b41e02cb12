import { posixShells, programOf } from '../programs.ts';
import { isOneField, literalWord, mayBe, mayBeOption, unknownWord, type Word } from '../words/word.ts';
import { type Inner, replaceMarker, unread } from './inner.ts';

const executes = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Parts of an expression that run, remove or write; `find . -name *.py` can find no file of such a name. */
const acts = [...executes, '-delete', '-fls', '-fprint', '-fprint0', '-fprintf'];

/** Parts that take the next word, whatever it says: find(1), Tests and Actions. */
const valued =
  /^-([acm](min|time)|[ac]?newer\w*|context|files0-from|fls|fprint0?|fstype|gid|group|i?lname|i?name|i?path|i?regex|i?wholename|inum|links|maxdepth|mindepth|perm|printf|regextype|samefile|size|type|uid|used|user|xtype)$/;

/** The commands of find's `-exec`, `-execdir`, `-ok` and `-okdir`, with `{}` known to begin like a start path. */
export function unwrapFind(words: readonly Word[]): readonly Inner[] {
  const inner: Inner[] = [];
  const start = startPrefix(words);
  let isExpression = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    if (/^[-(!]/.test(word.prefix) && !/^-[HLPO]/.test(word.prefix)) isExpression = true;
    if (mayBeOption(word)) {
      const isOperand = !isExpression || valued.test(words[index - 1]?.value ?? '');
      if (acts.some((act) => mayBe(word, act)))
        inner.push(
          isOperand ? { kind: 'operand', rule: 'wrapper-unread', word, onlyIfSplit: true } : unread(word),
        );
      continue;
    }
    const next = words[index + 1];
    if (valued.test(word.value ?? '') && next && isOneField(next)) index++;
    if (!executes.has(word.value ?? '')) continue;
    const removes = removers.has(words[index + 1]?.value ?? '');
    const below = removes && !word.value?.endsWith('dir') ? chosenBelow(words) : undefined;
    const prefix = word.value?.endsWith('dir') ? './' : start;
    const command: Word[] = [];
    for (index++; index < words.length; index++) {
      const next = words[index] as Word;
      if (next.value === ';') break;
      if (next.value === '+' && words[index - 1]?.value === '{}') break;
      const script = scriptOfName(command, next);
      if (script) inner.push(script);
      if (script) command.push(literalWord(':'));
      if (script) continue;
      const replaced = replaceMarker(next, '{}', prefix);
      command.push(below && next.value === '{}' ? { ...replaced, below } : replaced);
    }
    if (command.length > 0) inner.push({ kind: 'command', words: command });
  }
  return inner;
}

/** `-exec sh -c 'wc -l < "{}"'`: the script, with what is put into it as a word that is not known. */
function scriptOfName(before: readonly Word[], script: Word): Inner | undefined {
  const [shell, flag] = before;
  if (before.length !== 2 || flag?.value !== '-c') return undefined;
  const program = programOf(shell?.value ?? '');
  if (!posixShells.has(program)) return undefined;
  if (!script.value?.includes('{}')) return undefined;
  const source = literalWord(script.value.replaceAll('{}', '$1'));
  return { kind: 'script', source, posix: program !== 'bash' };
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
