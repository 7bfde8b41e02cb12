import { settingsOf } from '../words/counters.ts';
import { type Word, wordOf } from '../words/word.ts';
import { type Inner, joined } from './inner.ts';

/** What `eval` runs: its words, or nothing new where a program prints settings for its shell. */
export function unwrapEval(words: readonly Word[]): readonly Inner[] {
  const [first, second, third, ...more] = words;
  if (!second && programsIn(first) && settingsOf(programsIn(first) ?? [])) return [];
  // getopt(1) quotes what it gives, for just this.
  const isSet = first?.value === 'set' && second?.value === '--' && more.length === 0;
  const [program, ...args] = (isSet && programsIn(third)) || [];
  if (program === 'getopt' && !args.some((word) => /^-[a-z]*[us]|^--(u|sh)/.test(word)))
    return [{ kind: 'command', words: [first, second, unknown] as readonly Word[] }];
  return [joined(words)];
}

const unknown = wordOf([{ kind: 'unknown', oneField: false }], '"$(getopt …)"');

/** The words of the one command that a substitution runs; of one that is not known, a sign that is no option. */
function programsIn(word: Word | undefined): readonly string[] | undefined {
  const [only, ...more] = word?.pieces ?? [];
  if (more.length > 0 || only?.kind !== 'unknown' || !only.script || only.script.errors?.length)
    return undefined;
  const [statement, ...others] = only.script.commands;
  const command = statement?.command;
  if (others.length > 0 || statement?.background || command?.type !== 'Command') return undefined;
  if (command.prefix.length + command.redirects.length > 0) return undefined;
  return [
    command.name?.text ?? '',
    ...command.args.map((arg) =>
      arg.type !== 'Word' ? '\0' : arg.parts?.some(isExpanded) ? '\0' : arg.value,
    ),
  ];
}

function isExpanded({ type }: { readonly type: string }): boolean {
  return type !== 'Literal' && type !== 'SingleQuoted';
}
