import { hasOption, optionsNamed, readOptions } from '../options.ts';
import { cousinShells, foreignShells, isMultiCall, posixShells, programOf } from '../programs.ts';
import { subcommandsOf } from '../subcommands.ts';
import { literalWord, unknownWord, type Word } from '../words.ts';
import { unwrapBwrap } from './bwrap.ts';
import { unwrapEnv } from './env.ts';
import { unwrapEval } from './eval.ts';
import { unwrapFd, unwrapFind } from './find.ts';
import { unwrapGit } from './git.ts';
import { readHead } from './head.ts';
import { type Inner, joined, replaceMarker, unread } from './inner.ts';
import { unwrapAwk } from './languages/awk.ts';
import { unwrapConsole } from './languages/consoles.ts';
import { unwrapMake } from './languages/make.ts';
import { unwrapSed } from './languages/sed.ts';
import { unwrapLoose } from './loose.ts';
import { runners } from './runners.ts';
import { optionScripts } from './scripts.ts';
import { unwrapShell } from './shell.ts';
import { socatAddresses } from './socat.ts';
import { unwrapSsh } from './ssh.ts';
import { type WrapperGrammar, wrappers } from './table.ts';

/** Finds the commands inside a command: `sudo`, `xargs`, `find -exec`, `sh -c` and their like. */
export function unwrap(words: readonly Word[]): readonly Inner[] {
  const name = words[0]?.value;
  if (name === undefined) return [];
  const program = programOf(name);
  const rest = words.slice(1);
  if (program === 'env') return unwrapEnv(rest);
  if (posixShells.has(program)) return unwrapShell(rest, program !== 'bash' && program !== 'rbash');
  if (cousinShells.has(program)) return unwrapShell(rest, true);
  if (foreignShells.has(program)) return unwrapForeign(rest);
  if (isMultiCall(program)) return unwrapMultiCall(rest);
  switch (program) {
    case 'find':
      return unwrapFind(rest);
    case 'fd':
    case 'fdfind':
      return unwrapFd(rest);
    case 'git':
      return unwrapGit(rest);
    case 'su':
    case 'runuser':
      return unwrapSu(rest);
    case 'bwrap':
      return unwrapBwrap(rest);
    case 'ssh':
    case 'slogin':
    case 'ssh-argv0':
    case 'ssh-copy-id':
    case 'scp':
    case 'sftp':
      return unwrapSsh(program, rest);
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
    case 'original-awk':
      return unwrapAwk(rest);
    case 'sed':
      return unwrapSed(rest);
    case 'make':
    case 'gmake':
      return unwrapMake(rest);
    case 'cmake':
      return unwrapCmake(rest);
    case 'ip': {
      // `ip netns exec NAME COMMAND`, ip-netns(8) and ip-vrf(8).
      const at = rest.findIndex(({ value }) => value === 'exec');
      return at < 0 || rest.length < at + 3 ? [] : [{ kind: 'command', words: rest.slice(at + 2) }];
    }
    case 'eval':
      return unwrapEval(rest);
    case 'trap':
      return unwrapTrap(rest);
    case 'parallel':
    case 'sem':
      return unwrapParallel(rest);
    case 'flock':
      return unwrapFlock(rest);
    case 'script':
      return unwrapScript(rest);
  }
  // git runs `git-push` for `git push`, and hub hands on to git what it does not know.
  const verb = /^git-([a-z-]+)$/.exec(program)?.[1];
  if (verb) return [{ kind: 'command', words: [literalWord('git'), literalWord(verb), ...rest] }];
  if (program === 'hub') return [{ kind: 'command', words: [literalWord('git'), ...rest] }];
  const scripts = [
    ...optionScripts(program, rest),
    ...unwrapLoose(program, rest),
    ...unwrapConsole(program, rest),
  ];
  if (program === 'socat') scripts.push(...socatAddresses(rest));
  if (program === 'yarn') scripts.push(...yarnWorkspace(rest));
  const grammar = wrappers.get(program) ?? runners.get(program);
  return grammar ? [...scripts, ...unwrapWrapper(program, rest, grammar)] : scripts;
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

function unwrapWrapper(program: string, words: readonly Word[], grammar: WrapperGrammar): readonly Inner[] {
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
  if (head.rest.length === 0) return inner;
  // `setarch x86_64 -R ls`: options behind an operand hide where the command begins.
  if (grammar.operands && head.rest[0]?.prefix.startsWith('-')) return [...inner, unread(head.rest[0])];
  if (program === 'pnpm' && words.some(({ value }) => /^(-\w*c|--shell-mode)$/.test(value ?? '')))
    inner.push(joined(head.rest));
  if (program === 'xargs')
    return [...inner, scriptOfNames(head) ?? { kind: 'command', words: withInput(head) }];
  if (grammar.joined && !named('x') && !named('exec')) return [...inner, joined(head.rest)];
  return [...inner, { kind: 'command', words: head.rest }];
}

/** xargs puts words of its input at the end, or in the place of a marker. */
function withInput(head: {
  readonly given: readonly { name: string; value: Word | undefined }[];
  readonly rest: readonly Word[];
}): readonly Word[] {
  const replace = head.given.find((option) => ['I', 'i', 'J', 'replace'].includes(option.name));
  const byNul = head.given.some(({ name }) => name === '0' || name === 'null');
  if (!replace) return [...head.rest, inputWord(byNul)];
  const marker = replace.value?.value ?? '{}';
  return head.rest.map((word) =>
    word.value === marker
      ? { ...replaceMarker(word, marker), isInput: 'words' as const }
      : replaceMarker(word, marker),
  );
}

/** `xargs -I{} sh -c 'wc -l "{}"'`: the script, with what is put into it as a word that is not known. */
function scriptOfNames(head: {
  readonly given: readonly { name: string; value: Word | undefined }[];
  readonly rest: readonly Word[];
}): Inner | undefined {
  const replace = head.given.find((option) => ['I', 'i', 'J', 'replace'].includes(option.name));
  const marker = replace && (replace.value?.value ?? '{}');
  const [shell, flag, script, ...more] = head.rest;
  if (!marker || !posixShells.has(programOf(shell?.value ?? '')) || flag?.value !== '-c') return undefined;
  if (!script?.value?.includes(marker) || more.some(({ value }) => value?.includes(marker) !== false))
    return undefined;
  const isBash = programOf(shell?.value ?? '') === 'bash';
  const source = literalWord(script.value.replaceAll(marker, '$1'));
  return { kind: 'script', source, posix: !isBash, ofNames: true };
}

function inputWord(byNul: boolean): Word {
  const word = unknownWord('(input of xargs)');
  return { ...word, isInput: byNul ? 'paths' : 'words' };
}

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

function unwrapSu(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'cCgGsTuw',
    longValued: [
      'command',
      'session-command',
      'group',
      'supp-group',
      'shell',
      'whitelist-environment',
      'user',
    ],
  });
  if (options.unsure) return [unread(options.unsure)];
  const scripts = optionsNamed(options, 'cC', ['command', 'session-command']);
  const inner: Inner[] = scripts.flatMap((option) =>
    option.value ? [{ kind: 'script', source: option.value, posix: true }] : [],
  );
  if (hasOption(options, 'u', ['user'])) inner.push({ kind: 'command', words: options.operands });
  return inner;
}

function unwrapParallel(words: readonly Word[]): readonly Inner[] {
  const separator = words.findIndex((word) => /^:::?:?\+?$/.test(word.value ?? ''));
  const before = separator < 0 ? words : words.slice(0, separator);
  const head = readHead(before, {
    flags: '0kmtXqv',
    valued: 'jINnLaPSds',
    long: [
      'bar',
      'dry-run',
      'eta',
      'group',
      'keep-order',
      'line-buffer',
      'lb',
      'no-notice',
      'null',
      'progress',
      'ungroup',
      'will-cite',
      'verbose',
      'quote',
      'halt-on-error',
    ],
    longValued: [
      'jobs',
      'arg-file',
      'delay',
      'halt',
      'timeout',
      'retries',
      'joblog',
      'results',
      'max-args',
      'colsep',
      'tag',
    ],
  });
  if ('pieces' in head) return [unread(head)];
  const template = head.rest;
  if (template.length === 0) {
    const inputs = separator < 0 || words[separator]?.value !== ':::' ? [] : words.slice(separator + 1);
    if (inputs.length === 0) return [unread(literalWord('parallel'))];
    return inputs.map((word) => ({ kind: 'script', source: word, posix: false }));
  }
  const unknown = template.find((word) => word.value === undefined);
  if (unknown) return [unread(unknown)];
  const line = template.map((word) => word.value).join(' ');
  // Inputs arrive quoted, each as one word: `"$1"` stands for them.
  const marked = line.replace(/\{[^}\s]*\}/g, '"$1"');
  return [{ kind: 'script', source: literalWord(marked === line ? `${line} "$1"` : marked), posix: false }];
}

function unwrapFlock(words: readonly Word[]): readonly Inner[] {
  const grammar: WrapperGrammar = {
    flags: 'sxenoFuv',
    valued: 'wE',
    long: ['shared', 'exclusive', 'nonblock', 'nb', 'unlock', 'close', 'no-fork', 'verbose'],
    longValued: ['wait', 'timeout', 'conflict-exit-code'],
    operands: 0,
  };
  const head = readHead(words, grammar);
  if ('pieces' in head) return [unread(head)];
  const [, ...command] = head.rest;
  const first = command[0]?.value;
  if (first === '-c' || /^--c(o(m(m(a(nd?)?)?)?)?)?$/.test(first ?? '')) {
    return command[1] ? [{ kind: 'script', source: command[1], posix: true }] : [];
  }
  return command.length === 0 ? [] : [{ kind: 'command', words: command }];
}

function unwrapScript(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'cEIOBTmot',
    longValued: [
      'command',
      'echo',
      'log-in',
      'log-out',
      'log-io',
      'log-timing',
      'logging-format',
      'output-limit',
    ],
  });
  if (options.unsure) return [unread(options.unsure)];
  const inner: Inner[] = optionsNamed(options, 'c', ['command']).flatMap((option) =>
    option.value ? [{ kind: 'script', source: option.value, posix: true }] : [],
  );
  const start = options.operands[0] ? words.indexOf(options.operands[0]) : -1;
  const command = start < 0 ? [] : words.slice(start + 1).filter((word) => word.value !== '--');
  if (inner.length === 0 && command.length > 0) inner.push({ kind: 'command', words: command });
  return inner;
}

/** `cmake -E env A=b COMMAND`, `-E time COMMAND`, `-E chdir FOLDER COMMAND` (cmake(1), Command-Line Tool Mode). */
function unwrapCmake(words: readonly Word[]): readonly Inner[] {
  if (words[0]?.value !== '-E') return [];
  const [verb, ...rest] = words.slice(1);
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
