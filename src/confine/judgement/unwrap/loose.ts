import { subcommandsOf } from '../words/subcommands.ts';
import { literalWord, type Word } from '../words/word.ts';
import type { Inner } from './inner.ts';

/** A program that runs another and has more options than are worth listing. */
interface LooseGrammar {
  /** A word that must be there first: `lerna exec`. */
  readonly verbs?: readonly string[];
  /** Up to so many words may stand before the command. */
  readonly operands?: number;
  /** The command stands only after one of these words. */
  readonly after?: readonly string[];
}

const loose: ReadonlyMap<string, LooseGrammar> = new Map<string, LooseGrammar>([
  // bash: `jobs -x COMMAND`
  ['jobs', { after: ['-x', '-rx', '-sx', '-xr', '-xs'] }],
  ['lerna', { verbs: ['exec'] }],
  ['nx', { verbs: ['exec'] }],
  ['bun', { verbs: ['x', 'exec'] }],
  ['nix', { after: ['-c', '--command', '--'] }],
  ['watchexec', {}],
  ['valgrind', {}],
  ['heaptrack', {}],
  ['rr', { verbs: ['record'] }],
  ['perf', { verbs: ['ftrace', 'iostat'] }],
  ['samply', { verbs: ['record'] }],
  ['gdb', { after: ['--args', '-args'] }],
  ['lldb', { after: ['--'] }],
  ['start-stop-daemon', { after: ['--exec', '-x', '--startas', '-a'] }],
  ['runcon', { operands: 1 }],
  ['chpst', {}],
  ['softlimit', {}],
  ['envdir', { operands: 1 }],
  ['envuidgid', { operands: 1 }],
  ['setuidgid', { operands: 1 }],
  ['daemonize', {}],
  ['daemon', {}],
  ['firejail', {}],
  ['systemd-nspawn', {}],
  // systemd-cat(1), luit(1), memusage(1), msgexec(1), pg_virtualenv(1), fstab-decode(8), choom(1), uclampset(1)
  ['systemd-cat', {}],
  ['luit', {}],
  ['memusage', {}],
  ['msgexec', {}],
  ['pg_virtualenv', {}],
  ['fstab-decode', {}],
  ['choom', {}],
  ['uclampset', {}],
  ['dbus-launch', {}],
  ['fakechroot', {}],
  // gpg-agent(1), gpg-connect-agent(1), coresched(1)
  ['gpg-agent', { after: ['--daemon'] }],
  ['gpg-connect-agent', { after: ['--exec'] }],
  ['coresched', { verbs: ['exec'] }],
  ['bugpoint', { after: ['-exec-command', '-compile-command', '-args'] }],
  ['ssh-agent', {}],
  ['sg', { operands: 1 }],
  ['s6-setuidgid', { operands: 1 }],
  ['cpulimit', {}],
  ['trickle', {}],
  ['schedtool', { after: ['-e'] }],
  ['dtach', {}],
  ['abduco', {}],
  ['npm', { verbs: ['explore'], operands: 1 }],
  ['proot', {}],
  ['capsh', { after: ['--'] }],
  ['aws-vault', { verbs: ['exec'], operands: 1 }],
  ['chamber', { verbs: ['exec'], operands: 1 }],
  ['infisical', { verbs: ['run'] }],
  ['dotenv', { verbs: ['run'] }],
]);

/** Each place where the command may start is read: more than these nobody writes. */
const maxStarts = 40;

const loader = /^ld(-[\w.-]+)?\.so(\.\d+)?$/;

/**
 * The commands that such a program may start: every word that no option could have taken, and what follows `--`.
 * A word too many is judged rather than one too few.
 */
export function unwrapLoose(program: string, words: readonly Word[]): readonly Inner[] {
  const grammar = loose.get(program) ?? (loader.test(program) ? {} : undefined);
  if (!grammar) return [];
  const verb =
    grammar.verbs && subcommandsOf(words).find(({ value }) => grammar.verbs?.includes(value ?? ''));
  if (grammar.verbs && !verb) return [];
  const rest = verb ? words.slice(words.indexOf(verb) + 1) : words;
  const starts = new Set<number>();
  const addAfter = (markers: readonly string[]): void => {
    const at = rest.findIndex((word) => markers.includes(word.value ?? ''));
    if (at >= 0) starts.add(at + 1);
  };
  if (grammar.after) addAfter(grammar.after);
  else {
    const candidates = subcommandsOf(rest);
    for (const candidate of candidates) {
      // What is not static and may be an option's value is not taken for a name.
      if (candidate.value === undefined && candidate !== candidates.at(-1)) continue;
      const at = rest.indexOf(candidate);
      for (let skipped = 0; skipped <= (grammar.operands ?? 0); skipped++) starts.add(at + skipped);
    }
    addAfter(['--']);
  }
  if (starts.size > maxStarts)
    return [{ kind: 'unread', rule: 'wrapper-unread', word: literalWord(program) }];
  return [...starts].flatMap((at) => commandAt(program, rest, at));
}

function commandAt(program: string, words: readonly Word[], start: number): readonly Inner[] {
  const command = words.slice(words[start]?.value === '--' ? start + 1 : start);
  const [name] = command;
  if (!name) return [];
  // What follows capsh's `--` are the words of a shell; a first word with blanks is a command line.
  if (program === 'capsh') return [{ kind: 'command', words: [{ ...name, ...shell }, ...command] }];
  if (name.value !== undefined && /[^\w./:=@+~-]/.test(name.value)) {
    return [{ kind: 'script', source: name, posix: true }];
  }
  if (program === 'start-stop-daemon')
    return [{ kind: 'command', words: [name, ...command.slice(command[1]?.value === '--' ? 2 : 1)] }];
  return name.prefix.startsWith('-') ? [] : [{ kind: 'command', words: command }];
}

const shell = { value: 'bash', prefix: 'bash' };
