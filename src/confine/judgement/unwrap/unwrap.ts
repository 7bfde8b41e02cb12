import { cousinShells, foreignShells, isMultiCall, posixShells, programOf } from '../programs.ts';
import { readOptions } from '../words/options.ts';
import { subcommandsOf } from '../words/subcommands.ts';
import { literalWord, type Word } from '../words/word.ts';
import { unwrapBwrap } from './bwrap.ts';
import { unwrapEnv } from './env.ts';
import { unwrapEval } from './eval.ts';
import { unwrapFd, unwrapFind } from './find.ts';
import { unwrapGit } from './git.ts';
import { readHead } from './head.ts';
import { type Inner, joined, unread } from './inner.ts';
import { unwrapAwk } from './languages/awk.ts';
import { unwrapConsole } from './languages/consoles.ts';
import { unwrapMake } from './languages/make.ts';
import { unwrapSed } from './languages/sed.ts';
import { unwrapFlock, unwrapParallel, unwrapScript, unwrapSu } from './launchers.ts';
import { unwrapLoose } from './loose.ts';
import { runners } from './runners.ts';
import { optionScripts } from './scripts.ts';
import { unwrapShell } from './shell.ts';
import { socatAddresses } from './socat.ts';
import { unwrapSsh } from './ssh.ts';
import { type WrapperGrammar, wrappers } from './table.ts';
import { scriptOfNames, withInput } from './xargs.ts';

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
