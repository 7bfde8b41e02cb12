import type { CommandLine } from '../../contract/capabilities/process.ts';

/**
 * The command that a call of shell_exec runs. With `args`, or in one word, `command` is a program. A line of words is
 * split by the shell's quoting; a line in which a shell would do more than quoting is a script. The judge and the
 * runner get the same value.
 */
export function commandLineOf(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  shell: 'sh' | 'bash',
): CommandLine {
  if (args.length > 0) return { kind: 'program', program: command, args };
  const [program, ...rest] = splitWords(command) ?? [];
  if (program === undefined) return { kind: 'script', script: command, shell };
  return { kind: 'program', program, args: rest };
}

/** The words of a line of nothing but words and quotes; undefined if a shell would read more in it. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    blanks.lastIndex = at;
    blanks.test(line);
    at = blanks.lastIndex;
    if (at === line.length) break;
    let word = '';
    let part = nextPart(line, at);
    while (part) {
      word += part.text;
      at = part.end;
      part = nextPart(line, at);
    }
    if (at < line.length && !/[ \t]/.test(line[at] ?? '')) return undefined;
    words.push(word);
  }
  const [first] = words;
  // An assignment or a word of the shell's grammar before a command is not a program.
  if (first === undefined || /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(first) || grammarWords.has(first))
    return undefined;
  return words;
}

const blanks = /[ \t]*/y;
const single = /'([^']*)'/y;
// Inside double quotes a backslash keeps these four; `$` and a back quote begin an expansion.
const double = /"((?:[^"\\$`]|\\[\s\S])*)"/y;
const escaped = /\\([^\n])/y;
// Characters that no shell treats specially, anywhere in a word.
const bare = /[^\s'"\\|&;<>()$`*?[\]{}~#!^=]+|=/y;

function nextPart(line: string, at: number): { readonly text: string; readonly end: number } | undefined {
  for (const [pattern, read] of parts) {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found) return { text: read(found), end: pattern.lastIndex };
  }
  return undefined;
}

const parts: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [bare, (found) => found[0]],
  [single, (found) => found[1] ?? ''],
  [double, (found) => (found[1] ?? '').replace(/\\(["\\$`])|\\\n/g, '$1')],
  [escaped, (found) => found[1] ?? ''],
];

const grammarWords = new Set(
  'if then elif else fi for while until do done case esac in select function time coproc'.split(' '),
);
