import type { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** The first descriptor of a stage that is a file handed over open; those before it are its ports and ours. */
export const firstOpenDescriptor = 5;

/**
 * A few lines of shell around a program. They set its limits, and wait when it has ended until we have read how much
 * it wrote: the kernel forgets that with the process. What runs is `"$@"`; nothing is parsed.
 * Descriptor 3 tells us the exit code (and the count, where /proc can be seen), 4 closes when we have read it.
 */
const script = `ulimit -c 0; ulimit -t 130; ulimit -v 4194304; ulimit -f 8388608
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
  /** All that the program wrote, its errors included. */
  readonly writtenBytes?: number | undefined;
}

/** Reads what the shell says at the program's end; undefined where it was killed before it could. */
export async function readStatus(
  status: AsyncIterable<Buffer>,
  pid: number,
  isOwnPid: boolean,
): Promise<StageStatus | undefined> {
  let line = '';
  for await (const chunk of status) line += chunk.toString('latin1');
  const [, code, written] = /^(\d+) (\d*)\n$/.exec(line) ?? [];
  if (code === undefined) return undefined;
  const counted = written !== '' ? Number(written) : isOwnPid ? countedFor(pid, line.length) : undefined;
  return { exitCode: Number(code), ...(counted === undefined ? {} : { writtenBytes: counted }) };
}

/** Starting a process through libuv writes one byte. */
const startingBytes = 1;

function countedFor(pid: number, statusBytes: number): number | undefined {
  try {
    const counted = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1];
    return counted === undefined ? undefined : Number(counted) - statusBytes - startingBytes;
  } catch {
    return undefined;
  }
}
