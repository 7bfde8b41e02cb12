import { Buffer } from 'node:buffer';
import type { WriteRecord } from '../../contract/capabilities/pipeline.ts';
import { limits } from '../../contract/limits.ts';
import type { Builtin } from './builtin.ts';
import { assertSize, confirmBytes } from './records/records.ts';

export interface TeeOptions {
  readonly confirmOversize: boolean;
  readonly write: (content: Buffer) => Promise<WriteRecord>;
}

/**
 * Collects all of its input before it writes, so a pipeline can change a file that it reads, and nothing is written if
 * an earlier stage failed or the input is too large. Then passes the input on.
 */
export function teeInto({ confirmOversize, write }: TeeOptions): Builtin {
  return async (ports) => {
    const kept: Buffer[] = [];
    const most = confirmOversize ? limits.writeBytes : confirmBytes;
    let bytes = 0;
    for await (const chunk of ports.input ?? []) {
      bytes += chunk.length;
      // Counted to the end, so that the refusal can state the size; kept only up to the limit.
      if (bytes <= most) kept.push(chunk);
    }
    if (!(await ports.earlierEnded())) return { exitCode: 0 };
    assertSize(bytes, confirmOversize);
    const content = Buffer.concat(kept);
    await write(content);
    const step = 64 * 1024;
    for (let at = 0; at < content.length; at += step) {
      if (!(await ports.write(content.subarray(at, at + step)))) break;
    }
    return { exitCode: 0 };
  };
}
