import { asRipgrep } from '../commands/grep.ts';
import type { Word } from '../words.ts';
import { inRipgrep, nameSearchOf } from './names.ts';

/** A command to be run on the names that another finds: `find … | xargs CMD`, `-exec CMD`, `CMD $(fd …)`. */
export interface PerFile {
  /** The command that finds the names, and its words. */
  readonly finder: string;
  readonly found: readonly Word[];
  /** The command for the names, with its own words. */
  readonly command: readonly Word[];
  /** Whether one run gets all names. Then wc prints a total. */
  readonly together: boolean;
}

/** One equivalent pipeline: rg finds the files and reads them. Undefined if there is none. */
export function onFiles({ finder, found, command, together }: PerFile): string | undefined {
  const search = nameSearchOf(finder, found);
  const where = search && inRipgrep(search);
  if (where === undefined) return undefined;
  const [name, ...rest] = command.filter(({ text }) => !/^(\{\}|\+|;)$/.test(text));
  const words = rest.map((word) => word.raw).join(' ');
  const after = where === '' ? '' : ` ${where}`;
  switch (name?.text) {
    case 'rg':
      return rest.filter((word) => !word.text.startsWith('-')).length === 1
        ? `rg ${words}${after}`
        : undefined;
    case 'grep':
    case 'egrep':
    case 'fgrep': {
      const files = rest.filter((word) => word.text !== '/dev/null');
      const same = asRipgrep(name.text, files, { onlyPattern: true });
      return same === undefined ? undefined : `${same}${after}`;
    }
    case 'wc':
      return words === '-l' ? `rg -c --include-zero ''${after} | ${counts(together)}` : undefined;
    case 'cat':
      return words === '' ? `rg -I -N ''${after}` : undefined;
    default:
      return undefined;
  }
}

/** `path:count` in wc's format. */
function counts(withTotal: boolean): string {
  const total = withTotal ? '; t += n} END {print t, "total"}' : '}';
  return `awk '{n = $0; sub(/.*:/, "", n); sub(/:[0-9]+$/, ""); print n, $0${total}'`;
}

/** The command after xargs and its options; empty if these do more than pass names on. */
export function behindXargs(words: readonly Word[]): readonly Word[] {
  for (let index = 0; index < words.length; index++) {
    const text = words[index]?.text ?? '';
    if (/^-(n|P|L|I|d|s)$/.test(text) || /^--(max-args|max-procs|delimiter|replace)$/.test(text)) index++;
    else if (!text.startsWith('-')) return words.slice(index);
  }
  return [];
}
