import { readFileSync } from 'node:fs';
import { orElse } from '../ground/or-else.ts';

/** The first descriptor of a stage that is a file passed open; those before it are its ports and ours. */
export const firstOpenDescriptor = 5;

/**
 * A short shell script around a program. It hides the working folder, sets limits, and after the program's end waits
 * until we have read how much it wrote: the kernel forgets that with the process. It runs `"$@"` and parses nothing.
 * Descriptor 3 reports the exit code (and the count, if /proc is visible), 4 closes when we have read it.
 */
const script = `unset PWD OLDPWD; ulimit -c 0; ulimit -t 130; ulimit -v 4194304; ulimit -f 8388608
{ read -r _ _; read -r _ before; } 2>&- </proc/self/io
"$@" 3>&- 4<&-
code=$?
exec <&- >&-
{ read -r _ _; read -r _ after; } 2>&- </proc/self/io
echo "$code \${before:+$((after - before))}" >&3
exec 3>&-
read -r _ <&4
exit $code`;

export function stageArguments(program: string, args: readonly string[]): readonly string[] {
  return ['-c', script, 'sh', program, ...args];
}

export interface StageStatus {
  readonly exitCode: number;
  /** The program's whole output, including errors. */
  readonly writtenBytes?: number | undefined;
}

/**
 * Reads the shell's status at the program's end; undefined if it was killed before. If the shell cannot see its own
 * count, we read it: `startingBytes` is the count of merely starting a process here, undefined if the pid is another's.
 */
export async function readStatus(
  status: AsyncIterable<Buffer>,
  pid: number,
  startingBytes: number | undefined,
): Promise<StageStatus | undefined> {
  let line = '';
  for await (const chunk of status) line += chunk.toString('latin1');
  const [, code, written] = /^(\d+) (\d*)\n$/.exec(line) ?? [];
  if (code === undefined) return undefined;
  const counted =
    written !== ''
      ? Number(written)
      : startingBytes === undefined
        ? undefined
        : countedFor(pid, line.length + startingBytes);
  return { exitCode: Number(code), ...(counted === undefined ? {} : { writtenBytes: counted }) };
}

function countedFor(pid: number, otherBytes: number): number | undefined {
  const counts = orElse(() => readFileSync(`/proc/${pid}/io`, 'latin1'), '');
  const counted = /^wchar: (\d+)$/m.exec(counts)?.[1];
  return counted === undefined ? undefined : Math.max(0, Number(counted) - otherBytes);
}
