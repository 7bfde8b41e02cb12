import { shellQuote } from '../../../ground/shell-quote.ts';
import { measuredInFd } from '../measures.ts';
import { parseOptions, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

/** The search of a find, fd, rg --files or git ls-files command, if all of it can be translated. */
export interface NameSearch {
  /** Folders to search, as written; empty for the working folder. */
  readonly below: readonly string[];
  /** Globs of which one must match. */
  readonly names: readonly {
    readonly glob: string;
    readonly ignoresCase: boolean;
    readonly ofPath: boolean;
  }[];
  readonly except: readonly string[];
  /** Options of fd without an equivalent in rg. */
  readonly onlyFd: readonly string[];
  readonly maxDepth?: string | undefined;
  readonly hidden: boolean;
  readonly ignored: boolean;
}

/** The search that a command makes; undefined if a part of it cannot be translated. */
export function nameSearchOf(command: string, words: readonly Word[]): NameSearch | undefined {
  if (command === 'find') return readFind(words);
  if (command === 'fd' || command === 'fdfind') return readFd(words);
  if (command === 'rg') return readListing(words, '--files');
  return command === 'git' ? readListing(words, 'ls-files') : undefined;
}

/** The search as an fd command. */
export function inFd({ below, names, except, onlyFd, maxDepth, hidden, ignored }: NameSearch): string {
  const flags = [...(hidden ? ['-H'] : []), ...(ignored ? ['-I'] : []), ...onlyFd];
  const extensions = names.map(({ glob, ignoresCase, ofPath }) =>
    ofPath || ignoresCase ? undefined : /^\*\.([\w.]+)$/.exec(glob)?.[1],
  );
  let pattern: string | undefined;
  if (names.length > 0 && extensions.every((extension) => extension !== undefined))
    flags.push(...extensions.flatMap((extension) => ['-e', extension]));
  else if (names.length > 0) {
    const globs = names.map(({ glob }) => glob);
    pattern = globs.length > 1 ? `{${globs.join(',')}}` : (globs[0] ?? '');
    flags.push('-g');
    if (names.some(({ ignoresCase }) => ignoresCase)) flags.push('-i');
    // A lower-case pattern would match capitals too.
    else if (/\p{Ll}/u.test(pattern) && !/\p{Lu}/u.test(pattern)) flags.push('-s');
    if (names.some(({ ofPath }) => ofPath)) flags.push('-p');
  }
  if (maxDepth !== undefined) flags.push('-d', maxDepth);
  flags.push(...except.flatMap((glob) => ['-E', shellQuote(glob)]));
  const wanted = pattern === undefined ? (below.length > 0 ? ['.'] : []) : [shellQuote(pattern)];
  return ['fd', ...flags, ...wanted, ...below].join(' ');
}

/** Flags and paths with which rg searches the content of the same files; undefined if it has no equivalent. */
export function inRipgrep(search: NameSearch): string | undefined {
  const { below, names, except, onlyFd, maxDepth, hidden, ignored } = search;
  const others = onlyFd
    .join(' ')
    .replace(/-t f|-0/g, '')
    .trim();
  if (others !== '' || names.some(({ ofPath }) => ofPath)) return undefined;
  const globs = names.flatMap(({ glob, ignoresCase }) => [ignoresCase ? '--iglob' : '-g', shellQuote(glob)]);
  return [
    ...(hidden ? ['--hidden'] : []),
    ...(ignored ? ['--no-ignore'] : []),
    ...(maxDepth === undefined ? [] : ['--max-depth', maxDepth]),
    ...globs,
    ...except.flatMap((glob) => ['-g', shellQuote(`!${glob}`)]),
    ...below,
  ].join(' ');
}

/** A search while it is read. */
type Building = {
  -readonly [Key in keyof NameSearch]: NameSearch[Key] extends readonly (infer One)[]
    ? One[]
    : NameSearch[Key];
};

function building(): Building {
  return { below: [], names: [], except: [], onlyFd: [], hidden: false, ignored: false };
}

function readFind(words: readonly Word[]): NameSearch | undefined {
  const search = building();
  let isNot = false;
  let tests = 0;
  // The number of alternatives that `-o` has joined; each must be a name.
  let alternatives = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const value = words[index + 1]?.text;
    const isPath = word.text === '-path' || word.text === '-wholename' || word.text === '-ipath';
    if (word.text === '-name' || word.text === '-iname' || isPath) {
      if (value === undefined) return undefined;
      index++;
      tests++;
      if (isNot || words[index + 1]?.text === '-prune') {
        const bare = value.replace(/^\.\//, '').replace(/^\*\/|\/\*$/g, '');
        search.except.push(bare);
        if (!isNot) index += words[index + 2]?.text === '-o' ? 2 : 1;
      } else {
        const glob = isPath ? value.replace(/^\.\//, '').replace(/^\*\//, '**/') : value;
        search.names.push({ glob, ignoresCase: word.text.startsWith('-i'), ofPath: isPath });
      }
      isNot = false;
    } else if (word.text === '!' || word.text === '-not') isNot = true;
    else if (word.text === '-o' || word.text === '-or') alternatives++;
    else if (/^(\(|\)|-a|-and|-print)$/.test(word.text)) continue;
    else if (!word.text.startsWith('-') && tests === 0 && search.onlyFd.length === 0 && !search.maxDepth) {
      if (word.text !== '.' && word.text !== './') search.below.push(word.raw);
    } else {
      if (isNot || !takeTest(search, word.text, value)) return undefined;
      if (word.text !== '-empty' && word.text !== '-print0' && word.text !== '-executable') index++;
      tests++;
    }
  }
  // Globs cannot express names that must all match, nor an alternative to a different test.
  return search.names.length > 1 + alternatives ||
    (alternatives > 0 && search.names.length !== alternatives + 1)
    ? undefined
    : search;
}

function takeTest(search: Building, test: string, value: string | undefined): boolean {
  const plain = { '-empty': ['-t', 'e'], '-executable': ['-t', 'x'], '-print0': ['-0'] }[test];
  if (plain) return search.onlyFd.push(...plain) > 0;
  if (value === undefined) return false;
  if (test === '-type' && /^[fdl]$/.test(value)) {
    if (!search.onlyFd.join(' ').includes(`-t ${value}`)) search.onlyFd.push('-t', value);
    return true;
  }
  if (test === '-maxdepth' && /^\d+$/.test(value)) {
    search.maxDepth = value;
    return true;
  }
  const measured = measuredInFd(test, value);
  if (measured !== undefined) return search.onlyFd.push(...measured) > 0;
  if (test === '-mindepth' && /^\d+$/.test(value)) return search.onlyFd.push('--min-depth', value) > 0;
  return false;
}

const fdRows =
  rowsOf(`-e|--extension= -E|--exclude= -d|--max-depth|--maxdepth=# -t|--type= -g|--glob -H|--hidden
  -I|--no-ignore -0|--print0 -i|--ignore-case`);

function readFd(words: readonly Word[]): NameSearch | undefined {
  const search = building();
  try {
    const { options, operands, has } = parseOptions({ command: 'fd', rows: fdRows }, words);
    for (const { row, value = '' } of options) {
      const flag = row.flags[0] ?? '';
      if (flag === '-e')
        search.names.push({ glob: `*.${value.replace(/^\./, '')}`, ignoresCase: false, ofPath: false });
      else if (flag === '-E') search.except.push(value);
      else if (flag === '-d') search.maxDepth = value;
      else if (flag === '-t') search.onlyFd.push('-t', value === 'file' ? 'f' : value);
    }
    const [pattern, ...below] = operands;
    const wanted = pattern && globOfPattern(pattern.text, has('-g'));
    if (pattern && wanted === undefined) return undefined;
    if (wanted && search.names.length > 0) return undefined;
    // fd respects case only if the pattern has a capital.
    const ignoresCase = has('-i') || (pattern !== undefined && !/\p{Lu}/u.test(pattern.text));
    if (wanted) search.names.push({ glob: wanted, ignoresCase, ofPath: false });
    search.hidden = has('-H');
    search.ignored = has('-I');
    search.below.push(...below.map((word) => word.raw));
    return search;
  } catch {
    // A command that cannot be parsed gets no suggestion.
    return undefined;
  }
}

/** A plain pattern of fd as a glob; empty for any name. */
function globOfPattern(pattern: string, isGlob: boolean): string | undefined {
  if (isGlob) return pattern;
  if (pattern === '' || pattern === '.') return '';
  const [, extension] = /^\\\.(\w+)\$$/.exec(pattern) ?? [];
  if (extension) return `*.${extension}`;
  return /^[\w-]+$/.test(pattern) ? `*${pattern}*` : undefined;
}

/** `rg --files -g '*.ts' src` and `git ls-files '*.ts'`. */
function readListing(words: readonly Word[], verb: string): NameSearch | undefined {
  if (!words.some((word) => word.text === verb)) return undefined;
  const search = building();
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    if (word.text === verb || word.text === '--') continue;
    if (verb === '--files' && /^(-g|--glob)$/.test(word.text)) {
      const glob = words[++index]?.text ?? '';
      if (glob.startsWith('!')) search.except.push(glob.slice(1));
      else search.names.push({ glob, ignoresCase: false, ofPath: false });
    } else if (word.text.startsWith('-')) return undefined;
    else if (verb === 'ls-files' && /[*?]/.test(word.text))
      search.names.push({ glob: word.text, ignoresCase: false, ofPath: false });
    else search.below.push(word.raw);
  }
  return search;
}
