import { literalWord, partOf, type Word } from '../../words/word.ts';
import { type Inner, unread } from '../inner.ts';

/** A program with a language of commands of its own, some of which start others. */
interface Console {
  /** Options whose value, attached by `=` or the next word, is such a command. */
  readonly options: RegExp;
  /** How a command may stand as a word by itself: `+CMD`. The first group is the command. */
  readonly words?: RegExp;
  /** What a command starts is the first group that is there. */
  readonly escapes: readonly RegExp[];
  /** Commands that start something which is not written out in them. */
  readonly hides?: RegExp;
  /** It takes such commands from its standard input, where no file is named. */
  readonly readsInput?: 'always' | 'alone';
}

const vim: Console = {
  options: /^(-[a-zA-Z]*c|--cmd)$/,
  words: /^\+(.+)$/s,
  escapes: [
    /(?:^|[|:\s%\d,$'.])!\s*([^|\n]+)/,
    /\bsystem(?:list)?\(\s*(?:'([^']*)'|"([^"\\]*)")\s*\)/,
    /\bterm(?:inal)?\s+(?!\+)([^|\n]+)/,
  ],
  hides: /\bsystem(?:list)?\(|\b(?:job_?start|term_start)\(|\bos\.execute\b|\bio\.popen\b/,
};
const less: Console = { options: /^$/, words: /^\+(.+)$/s, escapes: [/^!\s*(.+)$/s] };
const ex: Console = { ...vim, readsInput: 'always' };
const ed: Console = { options: /^$/, escapes: [/^[\d,.$;%]*(?:[erw]\s+)?!\s*(.+)$/s], readsInput: 'always' };
const gdb: Console = {
  readsInput: 'always',
  options: /^--?(i?ex|(init-)?eval-command|o|one-line)$/,
  escapes: [/^\s*(?:platform\s+)?(?:shell\s+|!\s*)(.+)$/s, /^\s*(?:pipe\s|\|).*\|\s*(.+)$/s],
};
const sqlite: Console = {
  readsInput: 'always',
  options: /^--?cmd$/,
  words: /^\s*(\.[\s\S]+)$/,
  escapes: [/^\s*\.(?:shell|system)\s+(.+)$/s, /^\s*\.(?:output|once|import|read)\b.*?\|([^'"]+)/s],
};
const psql: Console = {
  readsInput: 'always',
  options: /^(-c|--command|-v|--set|--variable)$/,
  words: /^-c(.+)$/s,
  escapes: [
    /\\!\s*([^\n]+)/,
    /\\(?:o|out|g|gx|w|write)\s+\|\s*([^\n]+)/,
    /\bprogram\s+'([^']*)'/i,
    /`([^`]+)`/,
  ],
};
const emacs: Console = {
  options: /^--?(eval|execute)$/,
  escapes: [/\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.)*)"/],
  hides: /\b(?:shell-command|call-process|start-process|make-process|process-lines)/,
};
const tcl: Console = {
  options: /^$/,
  escapes: [/\b(?:exec|open\s+"?\|)\s*([^;\n\]}]+)/],
  readsInput: 'alone',
};
const expect: Console = {
  options: /^-c$/,
  escapes: [/\b(?:spawn|exec|system)\s+([^;\n\]}]+)/],
  readsInput: 'alone',
};
const lftp: Console = {
  options: /^-[ce]$/,
  escapes: [/(?:^|;)\s*!\s*([^;\n]+)/],
  readsInput: 'always',
};

/** By the manual pages of vim(1), less(1), gdb(1), sqlite3(1), psql(1), emacs(1), expect(1), lftp(1), ed(1) and tclsh(1). */
const consoles: ReadonlyMap<string, Console> = new Map(
  Object.entries({
    ...{
      vim,
      vi: vim,
      view: vim,
      ex,
      ed,
      red: ed,
      nvim: vim,
      gvim: vim,
      rvim: vim,
      vimdiff: vim,
      editor: vim,
    },
    ...{ less, more: less, most: less, pager: less, gdb, lldb: gdb, sqlite3: sqlite, sqlite, psql },
    ...{ emacs, emacsclient: emacs, expect, lftp, tclsh: tcl, wish: tcl },
  }),
);

/** The commands that such a program is told to start by its own commands. */
export function unwrapConsole(program: string, words: readonly Word[]): readonly Inner[] {
  const grammar = consoles.get(program);
  if (!grammar) return [];
  return words.flatMap((word, at): readonly Inner[] => {
    if (grammar.options.test(word.value ?? '')) return startsOf(words[at + 1], grammar);
    const equals = word.prefix.indexOf('=');
    if (equals > 0 && grammar.options.test(word.prefix.slice(0, equals)))
      return startsOf(partOf(word, equals + 1), grammar);
    const alone = grammar.words?.exec(word.value ?? '')?.[1];
    return alone === undefined ? [] : startsOf(literalWord(alone), grammar);
  });
}

/** What the lines start that such a program is given as its input. */
export function startedByInput(
  program: string,
  words: readonly Word[],
  texts: readonly Word[],
): readonly Inner[] {
  if (texts.length === 0) return [];
  const grammar = consoles.get(program);
  if (!grammar?.readsInput) return [];
  if (grammar.readsInput === 'alone' && words.some(({ prefix }) => !prefix.startsWith('-'))) return [];
  return texts.flatMap(({ value }) =>
    (value ?? '').split('\n').flatMap((line) => startsOf(literalWord(line), grammar)),
  );
}

function startsOf(command: Word | undefined, { escapes, hides }: Console): readonly Inner[] {
  if (command?.value === undefined) return [];
  const { value } = command;
  const inner = escapes.flatMap((pattern): Inner[] => {
    const source = pattern
      .exec(value)
      ?.slice(1)
      .find((group) => group !== undefined);
    return source === undefined ? [] : [{ kind: 'script', source: literalWord(source), posix: true }];
  });
  return inner.length === 0 && hides?.test(value) ? [unread(command)] : inner;
}
