import { readOptions } from '../words/options.ts';
import type { Word } from '../words/word.ts';
import { type Inner, joined } from './inner.ts';

/** Letters with a value: ssh(1). */
const valued = 'BbcDEeFIiJLlmOoPpQRSWw';

/** The words after the host, which the remote shell reads. */
export function unwrapSsh(words: readonly Word[]): readonly Inner[] {
  const remote = afterHost(words, readOptions(words, { valued }).operands[0]);
  // ssh always needs a question, so a person judges a remote command that cannot be read.
  const line = remote.length === 0 ? undefined : joined(remote);
  return line?.kind === 'script' ? [{ ...line, isElsewhere: true }] : [];
}

/** ssh also takes options after the host; the first other word and everything after it go to the remote host. */
function afterHost(words: readonly Word[], host: Word | undefined): readonly Word[] {
  if (!host) return [];
  let at = words.indexOf(host) + 1;
  while (words[at]?.prefix.startsWith('-') && words[at]?.value !== '--') {
    const cluster = words[at]?.prefix ?? '';
    const takesNext =
      valued.includes(cluster.at(-1) ?? '') &&
      ![...cluster.slice(1, -1)].some((letter) => valued.includes(letter));
    at += takesNext ? 2 : 1;
  }
  return words.slice(words[at]?.value === '--' ? at + 1 : at);
}
