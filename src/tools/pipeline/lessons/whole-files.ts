import { shellQuote } from '../../../ground/shell-quote.ts';
import { further } from '../commands/coreutils.ts';
import type { Word } from '../words.ts';
import { given, operandsOf } from './columns.ts';

/** Pipelines equivalent to cat, tac, rev, tree, stat and cp; undefined if an option cannot be translated. */

export function cat(
  words: readonly Word[],
  { index, count }: { readonly index: number; readonly count: number },
): string | undefined {
  const read = given(further.cat, words, '-A -b -e -E -n -s -t -T -u -v');
  if (!read) return undefined;
  const named = read.operands.filter((word) => word.text !== '-');
  const after = operandsOf(named);
  if (named.length === 0 && index === 0) return undefined;
  const letters = read.flags.map((flag) => flag.slice(1)).filter((letter) => letter !== 'u');
  // Shows invisible characters, in sed's notation.
  if (letters.length > 0 && letters.every((letter) => 'AeEtTv'.includes(letter)))
    return `sed -n 'l 0'${after}`;
  switch (letters.join('')) {
    case '':
      // Without a file it only passes its input on: the stage is left out.
      if (named.length === 0) return undefined;
      if (named.length > 1 || named.some((word) => word.pattern !== undefined))
        return `tail -q -n +1${after}`;
      return count === 1 || index > 0 ? `head -n 2000${after}` : `tail -n +1${after}`;
    case 'n':
      return `awk '{printf "%6d\\t%s\\n", NR, $0}'${after}`;
    case 'b':
      return `awk '$0 == "" {print} $0 != "" {printf "%6d\\t%s\\n", ++n, $0}'${after}`;
    case 's':
      return `awk '$0 != "" || p != "" || NR == 1 {print} {p = $0}'${after}`;
    default:
      return undefined;
  }
}

/** tac reverses each file separately, so only one file can be translated. */
export function tac(words: readonly Word[]): string | undefined {
  const { flags, files } = apart(words);
  if (flags.length > 0 || files.length > 1) return undefined;
  return `awk '{line[NR] = $0} END {for (i = NR; i > 0; i--) print line[i]}'${operandsOf(files)}`;
}

export function rev(words: readonly Word[]): string | undefined {
  const { flags, files } = apart(words);
  if (flags.length > 0) return undefined;
  return `awk '{s = ""; for (i = length($0); i > 0; i--) s = s substr($0, i, 1); print s}'${operandsOf(files)}`;
}

/** A command that lists the same names as `tree`, one path a line. */
export function tree(words: readonly Word[]): string | undefined {
  const flags: string[] = [];
  const below: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const value = words[index + 1]?.text ?? '';
    if (word.text === '-L' && /^\d+$/.test(value)) {
      flags.push('-d', value);
      index++;
    } else if (word.text === '-I' && value !== '') {
      flags.push(...value.split('|').flatMap((name) => ['-E', shellQuote(name)]));
      index++;
    } else if (word.text === '-a') flags.push('-H');
    else if (word.text === '-d') flags.push('-t', 'd');
    else if (/^(-f|-i|-n|--noreport|--gitignore|--dirsfirst)$/.test(word.text)) continue;
    else if (word.text.startsWith('-')) return undefined;
    else if (word.text !== '.') below.push(word.raw);
  }
  return ['fd', ...flags, ...(below.length > 0 ? ['.', ...below] : [])].join(' ');
}

/** Size, time and mode. */
export function list(words: readonly Word[]): string | undefined {
  const { flags, files } = apart(words);
  return flags.length > 0 || files.length === 0 ? undefined : `ls -ld${operandsOf(files)}`;
}

export function cp(words: readonly Word[]): string | undefined {
  const { flags, files } = apart(words);
  const [from, to, more] = files;
  if (flags.some((flag) => !/^-[fpv]+$/.test(flag)) || !from || !to || more || /\/$|^\.\.?$/.test(to.text))
    return undefined;
  return `tail -c +1 ${from.raw} | tee ${to.raw}`;
}

function apart(words: readonly Word[]) {
  const isFlag = (word: Word) => word.text.startsWith('-') && word.text !== '-';
  return {
    flags: words.filter(isFlag).map((word) => word.text),
    files: words.filter((word) => !isFlag(word)),
  };
}
