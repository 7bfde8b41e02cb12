import { optionsNamed, readOptions } from '../words/options.ts';
import { literalWord, type Word } from '../words/word.ts';
import { type Inner, joined } from './inner.ts';

/** Letters with a value, by the manual pages of ssh(1), scp(1) and sftp(1). */
const valued: Readonly<Record<string, string>> = {
  ssh: 'BbcDEeFIiJLlmOoPpQRSWw',
  scp: 'cDFiJloPSX',
  sftp: 'BbcDFiJloPRSsX',
  'ssh-copy-id': 'FiopS',
};

/** What ssh and its kin run: commands of their own settings here, and the words after the host over there. */
export function unwrapSsh(program: string, words: readonly Word[]): readonly Inner[] {
  const letters = valued[program] ?? valued.ssh ?? '';
  const options = readOptions(words, { valued: letters });
  const inner = optionsNamed(options, 'o', []).flatMap(({ value }): Inner[] => {
    const setting = /^\s*(?:proxy|local|knownhosts)command\s*[=\s]\s*(.*)$/is.exec(value?.value ?? '');
    return setting?.[1] ? [{ kind: 'script', source: literalWord(setting[1]), posix: true }] : [];
  });
  const isCopy = program === 'scp' || program === 'sftp';
  const programs = isCopy ? optionsNamed(options, program === 'sftp' ? 'SD' : 'S', []) : [];
  inner.push(
    ...programs.flatMap(({ value }): Inner[] =>
      value ? [{ kind: 'script', source: value, posix: true }] : [],
    ),
  );
  const remote = isCopy || program === 'ssh-copy-id' ? [] : afterHost(words, options.operands[0], letters);
  // A person is asked about ssh in any case, so a remote command that cannot be read is theirs to judge.
  if (remote.length === 0 || remote.some((word) => word.value === undefined)) return inner;
  return [...inner, joined(remote)];
}

/** ssh takes options behind the host too; from the first word that is none, all belongs to the other side. */
function afterHost(words: readonly Word[], host: Word | undefined, letters: string): readonly Word[] {
  if (!host) return [];
  let at = words.indexOf(host) + 1;
  while (words[at]?.prefix.startsWith('-') && words[at]?.value !== '--') {
    const cluster = words[at]?.prefix ?? '';
    const takesNext =
      letters.includes(cluster.at(-1) ?? '') &&
      ![...cluster.slice(1, -1)].some((letter) => letters.includes(letter));
    at += takesNext ? 2 : 1;
  }
  return words.slice(words[at]?.value === '--' ? at + 1 : at);
}
