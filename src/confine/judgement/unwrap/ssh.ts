import { readOptions } from '../options.ts';
import { literalWord, type Word } from '../words.ts';
import { type Inner, joined } from './inner.ts';

const valued = 'BbcDEeFIiJLlmOopQRSWw';

/** What ssh runs: commands of its own settings here, and the words after the host over there. */
export function unwrapSsh(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, { valued: 'BbcDEeFIiJLlmOopPQRSWw' });
  const inner = options.given.flatMap((option): Inner[] => {
    const setting = /^(?:proxy|local|knownhosts)command[= ](.*)$/is.exec(option.value?.value ?? '');
    return option.name === 'o' && setting?.[1]
      ? [{ kind: 'script', source: literalWord(setting[1]), posix: true }]
      : [];
  });
  const remote = afterHost(words, options.operands[0]);
  // A person is asked about ssh in any case, so a remote command that cannot be read is theirs to judge.
  if (remote.length === 0 || remote.some((word) => word.value === undefined)) return inner;
  return [...inner, joined(remote)];
}

/** ssh takes options behind the host too; from the first word that is none, all belongs to the other side. */
function afterHost(words: readonly Word[], host: Word | undefined): readonly Word[] {
  if (!host) return [];
  let at = words.indexOf(host) + 1;
  while (words[at]?.prefix.startsWith('-') && words[at]?.value !== '--') {
    const takesNext = words[at]?.prefix.length === 2 && valued.includes(words[at]?.prefix.charAt(1) ?? '');
    at += takesNext ? 2 : 1;
  }
  return words.slice(words[at]?.value === '--' ? at + 1 : at);
}
