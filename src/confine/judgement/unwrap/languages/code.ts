import { literalWord, type Word, wordOf } from '../../words/word.ts';
import type { Inner } from '../inner.ts';

/** Options whose value is code, and words that such code stands behind. */
const takesCode: ReadonlyMap<string, RegExp> = new Map([
  ['python', /^-[a-zA-Z]*c$/],
  ['node', /^(-e|-p|-pe|--eval|--print)$/],
  ['bun', /^(-e|-p|--eval|--print)$/],
  ['deno', /^eval$/],
  ['ruby', /^-[a-z]*e$/],
  ['perl', /^-[a-zA-Z0-9]*[eE]$/],
  ['php', /^-r$/],
  ['lua', /^-e$/],
  ['Rscript', /^-e$/],
  ['elixir', /^(-e|--eval)$/],
  ['julia', /^(-e|-E|--eval|--print)$/],
]);

/** A constant in quotes; what is put into it when it runs makes it none. */
const constant = String.raw`(['"])((?:(?!\1)[^\\$#]|\\['"\\nt])*)\1`;
/** Calls that hand a text to a shell, by the libraries of these languages. Blanks are bounded, or the search would not be linear. */
const shellCall = new RegExp(
  String.raw`(?:\bos\.(?:system|popen|execute)|\bio\.popen|\bsubprocess\.\w+|\b(?:getoutput|shell_exec|passthru|popen)|(?:^|[^.\w])(?:system|exec)|\bexecSync|\b(?:child_process['"]\)|cp)\.exec)\s{0,9}\(?\s{0,9}${constant}`,
  'g',
);
/** Calls that start a program with its words in a list. */
const listCall =
  /\b(?:run|call|Popen|check_call|check_output|spawn(?:Sync)?|execFile(?:Sync)?|system|exec(?:vp?|lp?)?)\s{0,9}\(?\s{0,9}((?:['"][^'"\\]*['"]\s{0,9},\s{0,9})?)\[?((?:\s{0,9}['"][^'"\\]*['"]\s{0,9},?)+)\s{0,9}[\])]?/g;
/** Calls that remove a folder with all that is in it. */
const removal = new RegExp(
  String.raw`\b(?:rmtree|rm_rf?!?|(?:unlink|rm)(?=\(.{0,200}recursive)|remove_dir|remove_tree|remove_entry_secure|rmSync|rmdirSync|removeSync|emptyDirSync|(?:fs|promises)\.rm|Deno\.remove|rimraf(?:Sync|\.sync)?)\s{0,9}\(?\s{0,9}(?:${constant}|((?:(?:os|__import__\(['"]os['"]\))\.(?:getcwd|homedir)|Dir\.(?:pwd|home)|process\.cwd|(?:pathlib\.)?Path\.(?:cwd|home)|Deno\.cwd)\b|os\.path\.expanduser\(['"]~['"]))`,
  'g',
);
/** All that is in the folder, and something that removes or empties each of it. */
const listsAll =
  /\bPath\((?:['"]\.['"])?\)\.iterdir\b|\b(?:glob|Dir|iglob|rglob)\s{0,9}(?:\.\w+)?[([]\s{0,9}['"](?:\*\*?\/)*\*['"]|\b(?:readdirSync|listdir|walk|walkSync|scandir|opendir|children|entries)\s{0,9}\(?\s{0,9}(?:['"]\.?\/?['"]|\)|(?:os\.getcwd|process\.cwd|Dir\.pwd|(?:pathlib\.)?Path\.cwd)\b)|\bfind(?:depth)?\b[^;]{0,200}['"]\.['"]/;
const losesEach =
  /\b(?:unlink(?:Sync)?|rmSync|rmtree|os\.remove|File\.delete|rm_rf|truncate(?:Sync)?)\b|\bopen\([^)]{0,200}['"]w['"]/;
/** Some of them are chosen, by more than what kind of file they are. */
const chooses = /\bif\b|\?|filter|endswith|endsWith|startsWith|\.test\(|match|suffix|extname|\bgrep\b|=~/;
/** `if p.is_file()`, `if (fs.statSync(f).isFile())`, `if File.file?(f)`, `if -f`. */
const ofKind =
  /\bif\b\s{0,9}\(?\s{0,9}(?:[\w.$()]{0,60}\b(?:is_file|is_dir|isFile|isDirectory|isfile|isdir|file\?|directory\?)\s?(?:\([\w.$]{0,40}\))?|-[fde]\b)/g;

/**
 * What code that is given to an interpreter on its command line, or as its input, starts or removes where that is
 * written out. The walls hold what it does; this is for what is asked before.
 */
export function unwrapCode(
  program: string,
  words: readonly Word[],
  texts: readonly Word[],
): readonly Inner[] {
  const language = languageOf(program);
  const takes = takesCode.get(language);
  if (!takes) return [];
  const given = words.flatMap((word, at) => (takes.test(words[at - 1]?.value ?? '') ? [word] : []));
  const readsInput =
    given.length === 0 && words.every(({ value }) => value === '-' || value?.startsWith('-'));
  return [...given, ...(readsInput ? texts : [])].flatMap(({ value }) =>
    value === undefined ? [] : startedBy(value, language),
  );
}

function languageOf(program: string): string {
  const name = program.replace(/[\d.]+$/, '');
  return name === 'nodejs' ? 'node' : name === 'luajit' ? 'lua' : name;
}

function startedBy(code: string, language: string): readonly Inner[] {
  const inner: Inner[] = [];
  const script = (source: string): void =>
    void inner.push({ kind: 'script', source: literalWord(source), posix: true });
  // Python's own exec runs Python.
  for (const [call, , text = ''] of code.matchAll(shellCall))
    if (language !== 'python' || !/^\W?exec\W/.test(call)) script(unescaped(text));
  if (/^(ruby|perl|php)$/.test(language))
    for (const [, text = ''] of code.matchAll(/`([^`$#\\]+)`/g)) script(text);
  for (const [, first = '', list = ''] of code.matchAll(listCall)) {
    const words = [...`${first} ${list}`.matchAll(/(['"])([^'"]*)\1/g)].map(([, , word = '']) => word);
    if (words.length > 1) inner.push({ kind: 'command', words: words.map(literalWord) });
  }
  for (const [, , text, folder] of code.matchAll(removal)) {
    const home = folder !== undefined && /home|expanduser/.test(folder);
    inner.push(removing(text !== undefined ? literalWord(unescaped(text)) : home ? atHome : here));
  }
  if (listsAll.test(code) && losesEach.test(code) && !chooses.test(code.replace(ofKind, '')))
    inner.push(removing(here));
  return inner;
}

function removing(what: Word): Inner {
  return { kind: 'command', words: [literalWord('rm'), literalWord('-rf'), what] };
}

const here = literalWord('.');
const atHome = wordOf([{ kind: 'literal', text: '~', quoted: false }], '~');

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, kept: string) => (kept === 'n' ? '\n' : kept === 't' ? '\t' : kept));
}
