import type { CommandLine } from '../../contract/process.ts';

/** What one process of a command may use. The kernel counts each process for itself. */
export interface ProcessLimits {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Counted inside the sandbox; absent where the count would include the user's other processes. */
  readonly processes?: number | undefined;
}

export const defaultProcessLimits: ProcessLimits = {
  cpuSeconds: 600,
  memoryBytes: 4 * 1024 ** 3,
  fileBytes: 4 * 1024 ** 3,
  openFiles: 8192,
  processes: 1024,
};

/**
 * The arguments that run a command under limits: a small shell sets them and becomes the command. They cannot be
 * raised again.
 */
export function limitedArguments(command: CommandLine, limits: ProcessLimits): readonly string[] {
  return ['/bin/sh', '-c', `${limitCommands(limits)}exec "$@"`, 'sh', ...wordsOf(command)];
}

/**
 * The same where the shell is the first process of a process namespace: it stays, collects what is orphaned, and
 * takes everything with it when the command ends. Its own words about a killed command are dropped.
 */
export function initArguments(command: CommandLine, limits: ProcessLimits): readonly string[] {
  const script = `${limitCommands(limits)}exec 9>&2 2>/dev/null; ("$@" 2>&9 9>&-); exit $?`;
  return ['/bin/sh', '-c', script, 'sh', ...wordsOf(command)];
}

function wordsOf(command: CommandLine): readonly string[] {
  if (command.kind === 'program') return [command.program, ...command.args];
  if (command.shell === 'bash') return ['bash', '--norc', '--noprofile', '-c', command.script];
  return ['/bin/sh', '-c', command.script];
}

function limitCommands({ cpuSeconds, memoryBytes, fileBytes, openFiles, processes }: ProcessLimits): string {
  const inKib = (bytes: number) => Math.ceil(bytes / 1024);
  // In 512-byte blocks, as POSIX says.
  const fileBlocks = Math.ceil(fileBytes / 512);
  const settings = [
    'ulimit -c 0',
    `ulimit -t ${cpuSeconds}`,
    `ulimit -d ${inKib(memoryBytes)}`,
    `ulimit -f ${fileBlocks}`,
    `ulimit -n ${openFiles}`,
    // dash calls it -p, bash -u.
    ...(processes === undefined ? [] : [`ulimit -p ${processes} || ulimit -u ${processes}`]),
  ];
  return `{ ${settings.join('; ')}; } 2>/dev/null; `;
}
