import { cousinShells, foreignShells, multiCall, posixShells } from '../programs.ts';
import { optionsNamed, readOptions } from '../words/options.ts';
import { literalWord, openWord, partOf, type Word } from '../words/word.ts';
import { unwrapGit } from './git.ts';
import { givenValue, readHead, type WrapperGrammar } from './head.ts';
import { type Inner, joined, unread } from './inner.ts';
import { unwrapFd, unwrapFind, unwrapParallel, unwrapXargs } from './searches.ts';
import { unwrapShell } from './shell.ts';
import { runners, wrappers } from './table.ts';

type Unwrap = (words: readonly Word[]) => readonly Inner[];

/** How programs are unwrapped: most by the grammar of their words, some by a reader of their own. */
const byProgram: ReadonlyMap<string, Unwrap> = new Map<string, Unwrap>([
  ...[...runners, ...wrappers].map(
    ([program, grammar]) =>
      [program, (words: readonly Word[]) => unwrapWrapper(program, words, grammar)] as const,
  ),
  ...named([...posixShells, ...cousinShells], unwrapShell),
  ...named(foreignShells, unwrapForeign),
  ...named(multiCall, (words) => (words[0]?.prefix.startsWith('-') ? [] : commandOf(words))),
  ['find', unwrapFind],
  ...named(['fd', 'fdfind'], unwrapFd),
  ...named(['su', 'runuser'], unwrapSu),
  ['ssh', unwrapSsh],
  ['parallel', unwrapParallel],
  ['xargs', unwrapXargs],
  ['env', unwrapEnv],
  ['git', unwrapGit],
  ['yarn', unwrapYarn],
  ['hub', (words) => [{ kind: 'command', words: [literalWord('git'), ...words] }]],
  ['eval', unwrapEval],
  ['trap', unwrapTrap],
  ['flock', unwrapFlock],
  ['script', unwrapScript],
  ...named(['source', '.'], unwrapSource),
]);

function named(programs: Iterable<string>, unwrap: Unwrap): readonly (readonly [string, Unwrap])[] {
  return [...programs].map((program) => [program, unwrap] as const);
}

/** Finds the commands inside a command: `sudo`, `xargs`, `find -exec`, `sh -c` and the like. */
export function unwrap(program: string, words: readonly Word[]): readonly Inner[] {
  const unwrapIt = byProgram.get(program);
  if (unwrapIt) return unwrapIt(words);
  if (!program.startsWith('git-')) return none;
  // git runs `git-push` for `git push`.
  const verb = /^git-([a-z-]+)$/.exec(program)?.[1];
  return verb ? [{ kind: 'command', words: [literalWord('git'), literalWord(verb), ...words] }] : none;
}

const none: readonly Inner[] = [];

function commandOf(words: readonly Word[]): readonly Inner[] {
  return words.length === 0 ? none : [{ kind: 'command', words }];
}

/** `yarn workspace NAME …` and `yarn workspaces foreach …` run yarn again in a package. */
function unwrapYarn(all: readonly Word[]): readonly Inner[] {
  const [verb, ...words] = all;
  if (!/^workspaces?$/.test(verb?.value ?? '')) return unwrapWrapper('yarn', all, runners.get('yarn') ?? {});
  const rest =
    verb?.value === 'workspace'
      ? words.slice(1)
      : words.slice(1).filter(({ prefix }) => !prefix.startsWith('-'));
  return rest.length === 0 ? none : [{ kind: 'command', words: [literalWord('yarn'), ...rest] }];
}

function unwrapWrapper(program: string, words: readonly Word[], grammar: WrapperGrammar): readonly Inner[] {
  // `command -v x` only prints a path.
  if (program === 'command' && /^-[pvV]*[vV]/.test(words[0]?.value ?? '')) return none;
  const head = readHead(words, grammar);
  const inner: Inner[] = head.assignments.map(assignmentOf);
  const call = program === 'npm' || program === 'npx' ? givenValue(head, 'c', ['call']) : undefined;
  if (call) return [{ kind: 'script', source: call }];
  if (head.rest.length === 0) {
    const startsShell =
      /^(sudo|doas)$/.test(program) && head.given.some(({ name }) => /^(s|i|shell|login)$/.test(name));
    return startsShell ? [...inner, unread] : inner;
  }
  const isLine = grammar.joined && !head.given.some(({ name }) => /^(x|exec)$/.test(name));
  return [...inner, isLine ? joined(head.rest) : { kind: 'command', words: head.rest }];
}

function assignmentOf(word: Word): Inner {
  const equals = word.prefix.indexOf('=');
  return { kind: 'assignment', name: word.prefix.slice(0, equals), value: partOf(word, equals + 1).value };
}

/** Reads env's assignments and command; with `-S` one word may contain both. */
function unwrapEnv(words: readonly Word[]): readonly Inner[] {
  const head = readHead(words, {
    valued: 'uCSP',
    longValued: ['unset', 'chdir', 'split-string', 'argv0'],
    assignments: true,
  });
  const inner: Inner[] = head.assignments.map(assignmentOf);
  const line = givenValue(head, 'S', ['split-string']);
  if (line) {
    // The words after the line stay separate words.
    const rest = words.slice(words.indexOf(line) + 1 || undefined).map(quoted);
    return [...inner, joined([literalWord('env'), line, ...rest])];
  }
  // `env $(grep -v '^#' .env | xargs) COMMAND`: the variables come from a file.
  const [first, ...rest] = head.rest;
  const isSettings = first?.value === undefined && /^(\$\(|`)/.test(first?.text ?? '') && rest.length > 0;
  return [...inner, ...commandOf(isSettings ? rest : head.rest)];
}

function quoted({ value, text, isPattern }: Word): Word {
  if (isPattern && value !== undefined) return literalWord(value);
  return value === undefined ? openWord(text) : literalWord(`'${value.replaceAll("'", "'\\''")}'`);
}

function unwrapSu(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'cCgGsTuw',
    longValued: ['command', 'session-command', 'group', 'supp-group', 'shell', 'user'],
  });
  const inner = optionsNamed(options, 'cC', ['command', 'session-command']).flatMap(({ value }): Inner[] =>
    value ? [{ kind: 'script', source: value }] : [],
  );
  if (optionsNamed(options, 'u', ['user']).length > 0) inner.push(...commandOf(options.operands));
  return inner.length > 0 || /^--(help|version)$/.test(words[0]?.value ?? '') ? inner : [unread];
}

/** Reads the words of `eval`; a program that prints shell settings adds no command. */
function unwrapEval(words: readonly Word[]): readonly Inner[] {
  const [first, ...more] = words;
  if (!first) return none;
  if (more.length === 0 && settings.test(first.text)) return none;
  // getopt(1) quotes its output for this use.
  if (first.value === 'set' && more[0]?.value === '--') return none;
  return words.every(({ script }) => script === undefined)
    ? [{ kind: 'script', source: first }]
    : [joined(words)];
}

/** Programs that print shell settings for `eval`, by their manuals. */
const settings =
  /^"?\$\((?:direnv (?:export|hook)|ssh-agent|[\w/.-]*\bbrew shellenv|(?:rbenv|pyenv|nodenv|goenv|jenv) (?:virtualenv-)?init|opam env|fnm env|mise (?:activate|env)|conda shell\.\w+ hook|zoxide init|starship init|dircolors|minikube docker-env|luarocks path)(?: [\w. /=-]*)?(?: 2>\/dev\/null)?\)"?$/;

/** `trap 'COMMANDS' SIGNAL`; with `-` or an option it only lists or resets. */
function unwrapTrap(words: readonly Word[]): readonly Inner[] {
  const [action, signal] = words[0]?.value === '--' ? words.slice(1) : words;
  if (!action || !signal || /^-[lpP]?$/.test(action.value ?? '')) return none;
  return [{ kind: 'script', source: action }];
}

function unwrapFlock(words: readonly Word[]): readonly Inner[] {
  const [, ...command] = readHead(words, {
    valued: 'wE',
    longValued: ['wait', 'timeout', 'conflict-exit-code'],
  }).rest;
  const [first, script] = command;
  if (/^(-c|--command)$/.test(first?.value ?? ''))
    return script ? [{ kind: 'script', source: script }] : none;
  return commandOf(command);
}

function unwrapScript(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'cEIOBTmot',
    longValued: 'command echo log-in log-out log-io log-timing logging-format output-limit'.split(' '),
  });
  const lines = optionsNamed(options, 'c', ['command']).flatMap(({ value }): Inner[] =>
    value ? [{ kind: 'script', source: value }] : [],
  );
  // Without one it starts a shell, which reads its input.
  return lines.length > 0 ? lines : [unread];
}

/** A file can be read; the output of a command, or standard input, is unknown. */
function unwrapSource([file]: readonly Word[]): readonly Inner[] {
  if (!file || !/^(\/dev\/|\/proc\/)/.test(file.prefix)) return none;
  return [{ kind: 'script', source: openWord(file.text) }];
}

/** The script is in another language. */
function unwrapForeign(words: readonly Word[]): readonly Inner[] {
  return words.some(({ value }) => /^[-/](c|k|command|ec|e|enc.*|lc)$/i.test(value ?? '')) ? [unread] : none;
}

/** Letters with a value: ssh(1). */
const valued = 'BbcDEeFIiJLlmOoPpQRSWw';

/** The words after the host, which the remote shell reads. */
function unwrapSsh(words: readonly Word[]): readonly Inner[] {
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
