import { totalmem } from 'node:os';
import type { CommandLine } from '../../contract/capabilities/process.ts';

/** What a command may use. */
export interface ProcessLimits {
  /** Of each process, as the kernel counts it. */
  readonly cpuSeconds: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Of the command together, as we count it: `watchUse`. */
  readonly memoryBytes: number;
  /** The kernel counts them too where it counts inside the sandbox only. */
  readonly processes: number;
}

export const defaultProcessLimits: ProcessLimits = {
  cpuSeconds: 600,
  /** Half of what the server has, and for builds 4 GiB, but never all of it. */
  get memoryBytes() {
    const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    return Math.min((bytes * 3) / 4, Math.max(bytes / 2, 4 * 1024 ** 3));
  },
  fileBytes: 4 * 1024 ** 3,
  openFiles: 8192,
  processes: 1024,
};

/**
 * The arguments that run a command under limits: a small shell sets them and becomes the command. They cannot be
 * raised again. With `waits` nothing of the command starts before a line comes on descriptor 3.
 */
export function limitedArguments(
  command: CommandLine,
  limits: ProcessLimits,
  { waits = false, ...descriptors }: ShellDescriptors & { readonly waits?: boolean } = {},
): readonly string[] {
  const wait = waits ? 'read -r go <&3; exec 3<&-; ' : '';
  return [
    '/bin/sh',
    '-c',
    `${wait}${limitCommands(limits)}exec "$@"`,
    'sh',
    ...wordsOf(command, descriptors),
  ];
}

/** Descriptors that a shell finds open. */
export interface ShellDescriptors {
  /** Where it says at its end where it is and what it exports. */
  readonly reportAt?: number | undefined;
  /** Where it reads its script, which its command line then does not show: `pkill -f` would find the shell itself. */
  readonly scriptAt?: number | undefined;
}

/**
 * The same where the shell is the first process of namespaces of its own, which count only what is inside: it stays, collects what is orphaned, and
 * takes everything with it when the command ends. Its own words about a killed command are dropped.
 */
export function initArguments(
  command: CommandLine,
  limits: ProcessLimits,
  descriptors: ShellDescriptors = {},
): readonly string[] {
  // dash calls it -p, bash -u.
  const count = `ulimit -p ${limits.processes} || ulimit -u ${limits.processes}`;
  const script = `${limitCommands(limits, [count])}exec 3>&2 2>/dev/null; ("$@" 2>&3 3>&-); code=$?; ${tellLeft}exit $code`;
  return ['/bin/sh', '-c', script, 'sh', ...wordsOf(command, descriptors)];
}

/** Names the processes that the command left running, which end with it. One that has ended is not counted. */
const tellLeft = [
  'n=0; all=; for p in /proc/[0-9]*; do [ "$p" = /proc/1 ] || ! read -r s <"$p/stat" && continue',
  'case "$s" in *") Z "*) continue; esac; s=${s#*(}; s=${s%%)*}; n=$((n+1)); [ $n -gt 5 ] || all="$all${all:+, }$s"; done',
  '[ $n = 0 ] || echo "[ended with this command, which left it running: $all$([ $n -gt 5 ] && echo " and $((n-5)) more"); what is to go on is started in the background]" >&3; ',
].join('; ');

function wordsOf(command: CommandLine, { reportAt, scriptAt }: ShellDescriptors): readonly string[] {
  if (command.kind === 'program') return [command.program, ...command.args];
  const { shell } = command;
  // dash has no way to read a whole text, and is the shell of few.
  const script = scriptAt === undefined || shell === 'sh' ? command.script : scriptFrom(scriptAt);
  const whole = reportAt === undefined ? script : reporting(script, shell, reportAt);
  return shell === 'bash' ? ['bash', '--norc', '--noprofile', '-c', whole] : ['/bin/sh', '-c', whole];
}

/** On one line, so that those of its errors stay right; the variable is gone when the script begins. */
function scriptFrom(at: number): string {
  return `IFS= read -rd '' SEKISHO <&${at}; exec ${at}<&-; eval "unset -v SEKISHO; $SEKISHO"`;
}

/**
 * Has a shell say at its end where it is and what it exports, each closed by a NUL. It stands on the script's first
 * line, so that the lines of its errors stay right. A script that sets a trap of its own for its end says nothing.
 */
function reporting(script: string, shell: 'sh' | 'bash', at: number): string {
  const said = (way: string) => `{ ${way}pwd -P; ${way}printf "\\0"; ${way}export -p; ${way}printf "\\0"; }`;
  if (shell === 'sh') return `trap '${said('')} >&${at} 2>/dev/null' EXIT; ${script}`;
  // Away from the numbers that scripts use; dash knows no others.
  return `exec 247>&${at} ${at}>&-; trap '${said('builtin ')} >&247 2>/dev/null' EXIT; ${script}`;
}

function limitCommands(
  { cpuSeconds, fileBytes, openFiles }: ProcessLimits,
  more: readonly string[] = [],
): string {
  // In 512-byte blocks, as POSIX says.
  const fileBlocks = Math.ceil(fileBytes / 512);
  const settings = [
    'ulimit -c 0',
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${fileBlocks}`,
    `ulimit -n ${openFiles}`,
    ...more,
    // A machine that runs out of memory ends a command before the server.
    'echo 1000 >/proc/self/oom_score_adj',
  ];
  return `{ ${settings.join('; ')}; } 2>/dev/null; `;
}
