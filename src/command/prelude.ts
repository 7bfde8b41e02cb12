import { totalmem } from 'node:os';
import type { CommandLine } from '../contract/capabilities/process.ts';
import { shellQuote } from '../ground/shell-quote.ts';

export interface ProcessLimits {
  /** For each process, as the kernel counts it. */
  readonly cpuSeconds: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** For the whole command, as `watchUse` counts it. */
  readonly memoryBytes: number;
  /** The kernel counts these too if it counts only inside the sandbox. */
  readonly processes: number;
}

export const defaultProcessLimits: ProcessLimits = {
  cpuSeconds: 600,
  /** Half of the server's memory, or 4 GiB for builds if that is more, but at most three quarters. */
  get memoryBytes() {
    const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    return Math.min((bytes * 3) / 4, Math.max(bytes / 2, 4 * 1024 ** 3));
  },
  fileBytes: 4 * 1024 ** 3,
  openFiles: 8192,
  processes: 1024,
};

/**
 * The arguments that run a command under limits: a small shell sets them and becomes the command, which cannot raise
 * them. With `waits` the command starts only after a line on descriptor 3; without one it never does.
 */
export function limitedArguments(
  command: CommandLine,
  limits: ProcessLimits,
  { waits = false, ...descriptors }: ShellDescriptors & { readonly waits?: boolean } = {},
): readonly string[] {
  const wait = waits ? 'read -r go <&3 || exit; exec 3<&-; ' : '';
  return [
    '/bin/sh',
    '-c',
    `${wait}${limitCommands(limits)}exec "$@"`,
    'sh',
    ...wordsOf(command, descriptors),
  ];
}

/** Open descriptors of a shell. */
export interface ShellDescriptors {
  /** The descriptor for the shell's final report of its folder and exports. */
  readonly reportAt?: number | undefined;
  /** The descriptor of the script, so that its text is not in the command line: `pkill -f` would match the shell. */
  readonly scriptAt?: number | undefined;
}

/**
 * The arguments if the shell is the first process of its own namespaces, which count only processes inside: it stays,
 * reaps orphans, and ends everything when the command ends. Its own messages about a killed command are dropped.
 */
export function initArguments(
  command: CommandLine,
  limits: ProcessLimits,
  { passing, ...descriptors }: ShellDescriptors & { readonly passing?: PassingFolder | undefined } = {},
): readonly string[] {
  // The option is -p in dash, -u in bash.
  const count = `ulimit -p ${limits.processes} || ulimit -u ${limits.processes}`;
  const told = passing ? tellGone(passing) + tellLeft : tellLeft;
  const script = `${limitCommands(limits, [count])}exec 3>&2 2>/dev/null; ("$@" 2>&3 3>&-); code=$?; ${told}exit $code`;
  return ['/bin/sh', '-c', script, 'sh', ...wordsOf(command, descriptors)];
}

/** Names the processes that the command left running, which are ended with it. Zombies are not counted. */
const tellLeft = [
  'n=0; all=; for p in /proc/[0-9]*; do [ "$p" = /proc/1 ] || ! read -r s <"$p/stat" && continue',
  'case "$s" in *") Z "*) continue; esac; s=${s#*(}; s=${s%%)*}; n=$((n+1)); [ $n -gt 5 ] || all="$all${all:+, }$s"; done',
  '[ $n = 0 ] || echo "[ended with this command, which left it running: $all$([ $n -gt 5 ] && echo " and $((n-5)) more"); what is to go on is started in the background]" >&3; ',
].join('; ');

/** A /tmp that ends with its command, as the session keeps its files elsewhere. */
export interface PassingFolder {
  /** The session's folder. */
  readonly kept: string;
  /** Names in /tmp that the sandbox mounts there. */
  readonly mounted: readonly string[];
}

/** Names what the command wrote to such a /tmp. Every Java leaves an empty folder there, which nobody misses. */
function tellGone({ kept, mounted }: PassingFolder): string {
  const known = [...mounted.map((name) => shellQuote(`/tmp/${name}`)), '/tmp/hsperfdata_*'].join('|');
  return [
    `k=${shellQuote(kept)}; n=0; all=; for p in /tmp/* /tmp/.[!.]*; do [ -e "$p" ] || [ -L "$p" ] || continue`,
    `case "$p" in ${known}) continue;; esac; n=$((n+1)); [ $n -gt 5 ] || all="$all\${all:+, }$p"; done`,
    `[ $n = 0 ] || echo "[gone with this command, as the session keeps its files in TMPDIR ($k): $all$([ $n -gt 5 ] && echo " and $((n-5)) more")]" >&3; `,
  ].join('; ');
}

function wordsOf(command: CommandLine, { reportAt, scriptAt }: ShellDescriptors): readonly string[] {
  if (command.kind === 'program') return [command.program, ...command.args];
  const { shell } = command;
  // dash cannot read a whole text at once; it runs scripts only on machines without bash.
  const script = scriptAt === undefined || shell === 'sh' ? command.script : scriptFrom(scriptAt);
  const whole = reportAt === undefined ? script : reporting(script, shell, reportAt);
  return shell === 'bash' ? ['bash', '--norc', '--noprofile', '-c', whole] : ['/bin/sh', '-c', whole];
}

/** On one line, so that the script's line numbers stay right; the variable is unset before the script begins. */
function scriptFrom(at: number): string {
  return `IFS= read -rd '' SEKISHO <&${at}; exec ${at}<&-; eval "unset -v SEKISHO; $SEKISHO"`;
}

/**
 * Makes a shell report its folder and exports at its end, each followed by NUL. It is on the script's first line, so
 * that the line numbers of errors stay right. A script with its own EXIT trap reports nothing.
 */
function reporting(script: string, shell: 'sh' | 'bash', at: number): string {
  const said = (way: string) => `{ ${way}pwd -P; ${way}printf "\\0"; ${way}export -p; ${way}printf "\\0"; }`;
  if (shell === 'sh') return `trap '${said('')} >&${at} 2>/dev/null' EXIT; ${script}`;
  // A high number, which scripts rarely use; dash, above, accepts only single digits.
  return `exec 247>&${at} ${at}>&-; trap '${said('builtin ')} >&247 2>/dev/null' EXIT; ${script}`;
}

function limitCommands(
  { cpuSeconds, fileBytes, openFiles }: ProcessLimits,
  more: readonly string[] = [],
): string {
  // In 512-byte blocks, as in POSIX.
  const fileBlocks = Math.ceil(fileBytes / 512);
  const settings = [
    'ulimit -c 0',
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${fileBlocks}`,
    `ulimit -n ${openFiles}`,
    ...more,
    // A machine without free memory kills commands before the server.
    'echo 1000 >/proc/self/oom_score_adj',
  ];
  return `{ ${settings.join('; ')}; } 2>/dev/null; `;
}
