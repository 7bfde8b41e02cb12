import { cousinShells, foreignShells, multiCall, posixShells } from '../programs.ts';
import { type GivenOption, readOptions } from '../words/options.ts';
import { subcommandsOf } from '../words/subcommands.ts';
import { literalWord, type Word } from '../words/word.ts';
import { unwrapBwrap } from './bwrap.ts';
import { unwrapEnv } from './env.ts';
import { unwrapEval } from './eval.ts';
import { unwrapFd, unwrapFind } from './find.ts';
import { unwrapGit } from './git.ts';
import { readHead } from './head.ts';
import { type Inner, joined, shellAlone, unread } from './inner.ts';
import { unwrapAwk } from './languages/awk.ts';
import { unwrapCode } from './languages/code.ts';
import { startedByInput, unwrapConsole } from './languages/consoles.ts';
import { unwrapMake } from './languages/make.ts';
import { unwrapSed } from './languages/sed.ts';
import { unwrapFlock, unwrapParallel, unwrapScript, unwrapSu } from './launchers.ts';
import { unwrapLoose } from './loose.ts';
import { runners } from './runners.ts';
import { optionScripts, typedText } from './scripts.ts';
import { unwrapShell } from './shell.ts';
import { socatAddresses } from './socat.ts';
import { unwrapSsh } from './ssh.ts';
import { wrappers } from './table.ts';
import { scriptOfNames, withInput } from './xargs.ts';

type Unwrap = (words: readonly Word[], program: string) => readonly Inner[];

/** Programs that are read by their own way alone. */
const own: ReadonlyMap<string, Unwrap> = new Map<string, Unwrap>([
  ...named(posixShells, (words, program) => unwrapShell(words, program !== 'bash' && program !== 'rbash')),
  ...named(cousinShells, (words) => unwrapShell(words, true)),
  ...named(foreignShells, unwrapForeign),
  ...named(multiCall, unwrapMultiCall),
  ...named(['find'], unwrapFind),
  ...named(['fd', 'fdfind'], unwrapFd),
  ...named(['su', 'runuser'], unwrapSu),
  ...named(['ssh', 'slogin', 'ssh-argv0', 'ssh-copy-id', 'scp', 'sftp'], (words, program) =>
    unwrapSsh(program, words),
  ),
  ...named(['awk', 'gawk', 'mawk', 'nawk', 'original-awk'], unwrapAwk),
  ...named(['make', 'gmake'], unwrapMake),
  ...named(['parallel', 'sem'], unwrapParallel),
  ['env', unwrapEnv],
  ['git', unwrapGit],
  ['bwrap', unwrapBwrap],
  ['sed', unwrapSed],
  ['cmake', unwrapCmake],
  ['ip', unwrapIp],
  ['eval', unwrapEval],
  ['trap', unwrapTrap],
  ['flock', unwrapFlock],
  ['script', unwrapScript],
  // The name of an architecture may stand before the options.
  ['setarch', (words) => unwrapWrapper('setarch', isArchitecture(words[0]) ? words.slice(1) : words)],
  // hub hands on to git what it does not know.
  ['hub', (words) => [{ kind: 'command', words: [literalWord('git'), ...words] }]],
]);

function named(programs: Iterable<string>, unwrap: Unwrap): readonly (readonly [string, Unwrap])[] {
  return [...programs].map((program) => [program, unwrap] as const);
}

/** Finds the commands inside a command: `sudo`, `xargs`, `find -exec`, `sh -c` and their like. */
export function unwrap(program: string, words: readonly Word[], texts: readonly Word[]): readonly Inner[] {
  return allOf(
    unwrapWords(program, words),
    startedByInput(program, words, texts),
    unwrapCode(program, words, texts),
  );
}

function unwrapWords(program: string, words: readonly Word[]): readonly Inner[] {
  const unwrapOwn = own.get(program);
  if (unwrapOwn) return unwrapOwn(words, program);
  // git runs `git-push` for `git push`.
  const verb = program.startsWith('git-') ? /^git-([a-z-]+)$/.exec(program)?.[1] : undefined;
  if (verb) return [{ kind: 'command', words: [literalWord('git'), literalWord(verb), ...words] }];
  const grammar = wrappers.get(program) ?? runners.get(program);
  return allOf(
    optionScripts(program, words),
    unwrapLoose(program, words),
    unwrapConsole(program, words),
    program === 'socat' ? socatAddresses(words) : none,
    program === 'yarn' ? yarnWorkspace(words) : none,
    grammar ? unwrapWrapper(program, words, grammar) : none,
  );
}

const none: readonly Inner[] = [];

function allOf(...lists: readonly (readonly Inner[])[]): readonly Inner[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length > 1 ? filled.flat() : (filled[0] ?? none);
}

/** `ip netns exec NAME COMMAND`, ip-netns(8) and ip-vrf(8). */
function unwrapIp(words: readonly Word[]): readonly Inner[] {
  const at = words.findIndex(({ value }) => value === 'exec');
  return at < 0 || words.length < at + 3 ? [] : [{ kind: 'command', words: words.slice(at + 2) }];
}

/** `yarn workspace NAME …` and `yarn workspaces foreach …` run yarn again in a package. */
function yarnWorkspace(words: readonly Word[]): readonly Inner[] {
  const verbs = subcommandsOf(words);
  const verb = verbs.find(({ value }) => value === 'workspace' || value === 'workspaces');
  if (!verb) return [];
  const rest = words.slice(words.indexOf(verb) + 2);
  const candidates = verb.value === 'workspace' ? rest.slice(0, 1) : subcommandsOf(rest);
  return candidates.map((word) => ({
    kind: 'command',
    words: [literalWord('yarn'), ...rest.slice(rest.indexOf(word))],
  }));
}

/** setarch(8); `$(uname -m)` and its like name one as well. */
function isArchitecture(word: Word | undefined): boolean {
  return word !== undefined && (word.value === undefined || architectures.test(word.value));
}

const architectures =
  /^(linux(32|64)|uname26|(i[3-6]|x)86(_64)?|athlon|ia64|(sparc|ppc|s390|mips|parisc|arm|aarch|riscv|alpha|loong|amd)\w*)$/;

function unwrapWrapper(
  program: string,
  words: readonly Word[],
  grammar = wrappers.get(program) ?? {},
): readonly Inner[] {
  // `command -v x` and `screen -ls` only tell.
  if (/^(command:-[pvV]*[vV]|screen:-(ls|list|wipe))$/.test(`${program}:${words[0]?.value}`)) return [];
  const head = readHead(words, grammar);
  if ('pieces' in head) return [unread(head)];
  const named = (name: string) => head.given.some((option) => option.name === name);
  if (grammar.inert?.some(named)) return [];
  const inner: Inner[] = head.assignments.map((word) => ({ kind: 'assignment', word }));
  for (const option of head.given) {
    if (option.value && /^(chdir|D|directory|cwd|prefix)$/.test(option.name)) {
      inner.push({ kind: 'folder', word: option.value });
    }
  }
  if (program === 'npm' || program === 'npx') {
    for (const option of readOptions(words, { valued: 'c', longValued: ['call'] }).given) {
      if ((option.name === 'c' || option.name === 'call') && option.value) {
        inner.push({ kind: 'script', source: option.value, posix: true });
      }
    }
  }
  for (const { name, value } of head.given) {
    const line = /^(o|output)$/.test(name) && /^[|!]\s*(.*)$/s.exec(value?.value ?? '')?.[1];
    // strace(1): such a name is a command that gets what would be written.
    if (program === 'strace' && line) inner.push({ kind: 'script', source: literalWord(line), posix: true });
  }
  if (program === 'screen' && named('X')) return [...inner, ...screenCommand(head.rest)];
  if (head.rest.length === 0) return startsShell(program, head.given) ? [...inner, shellAlone] : inner;
  // `setarch x86_64 -R ls`: options behind an operand hide where the command begins.
  if (grammar.operands && head.rest[0]?.prefix.startsWith('-')) return [...inner, unread(head.rest[0])];
  if (program === 'pnpm' && words.some(({ value }) => /^(-\w*c|--shell-mode)$/.test(value ?? '')))
    inner.push(joined(head.rest));
  if (program === 'xargs')
    return [...inner, scriptOfNames(head) ?? { kind: 'command', words: withInput(head) }];
  if (grammar.joined && !named('x') && !named('exec')) return [...inner, joined(head.rest)];
  return [...inner, { kind: 'command', words: head.rest }];
}

/** `screen -X COMMAND`: what a screen that runs is told to do (screen(1), Customization). */
function screenCommand([name, ...rest]: readonly Word[]): readonly Inner[] {
  if (
    !name ||
    /^(quit|kill|hardcopy|log|logfile|title|number|select|detach|width|height|scrollback)$/.test(
      name.value ?? '',
    )
  )
    return [];
  if (name.value === 'stuff') return rest.flatMap(typedText);
  const starts = name.value === 'exec' || name.value === 'screen';
  return [starts && rest.length > 0 ? { kind: 'command', words: rest } : unread(name)];
}

/** Without a command these start a shell, which reads its input. */
function startsShell(program: string, given: readonly GivenOption[]): boolean {
  const named = (pattern: RegExp) => given.some(({ name }) => pattern.test(name));
  if (named(/^(h|V|help|version|list|show)$/)) return false;
  if (/^(sudo|doas)$/.test(program)) return named(/^(s|i|shell|login)$/);
  return shellStarters.has(program);
}

const shellStarters = new Set([
  ...['setarch', 'linux32', 'linux64', 'i386', 'uname26', 'x86_64', 'unshare', 'nsenter', 'chroot'],
  ...['fakeroot', 'setpriv', 'pkexec', 'run0'],
]);

function unwrapMultiCall(words: readonly Word[]): readonly Inner[] {
  const first = words[0];
  if (!first) return [];
  if (first.value?.startsWith('-')) return first.value.includes('prog') ? [unread(first)] : [];
  return [{ kind: 'command', words }];
}

function unwrapForeign(words: readonly Word[]): readonly Inner[] {
  const code = words.find(
    (word) => word.value === undefined || /^[-/](c|k|command|ec|e|enc.*|lc|C|K)$/i.test(word.value),
  );
  return code ? [{ kind: 'unread', rule: 'foreign-shell', word: code }] : [];
}

/** `cmake -E env A=b COMMAND`, `-E time COMMAND`, `-E chdir FOLDER COMMAND`, `-E rm FILE` (cmake(1), Command-Line Tool Mode). */
function unwrapCmake(words: readonly Word[]): readonly Inner[] {
  if (words[0]?.value !== '-E') return [];
  const [verb, ...rest] = words.slice(1);
  if (/^(rm|remove|remove_directory)$/.test(verb?.value ?? ''))
    return [{ kind: 'command', words: [literalWord('rm'), literalWord('-r'), ...rest] }];
  if (verb?.value === 'env')
    return unwrapEnv(rest.filter(({ prefix }) => !/^--(un)?set=|^--modify/.test(prefix)));
  const command = verb?.value === 'chdir' ? rest.slice(1) : verb?.value === 'time' ? rest : [];
  return command.length === 0 ? [] : [{ kind: 'command', words: command }];
}

/** `trap 'COMMANDS' SIGNAL`; with `-` or an option it only lists or resets. */
function unwrapTrap(words: readonly Word[]): readonly Inner[] {
  const operands = words[0]?.value === '--' ? words.slice(1) : words;
  const [action] = operands;
  if (!action || operands.length < 2 || /^-[lpP]?$/.test(action.value ?? '')) return [];
  return [{ kind: 'script', source: action, posix: false }];
}
