import { Buffer } from 'node:buffer';
import { firstBytes } from '../../ground/text/cut-middle.ts';
import { type RunningCommand, takesNoInput } from '../background.ts';

/** The output of an ended command that was too long for its reply: read like that of a background command. */
export function keptOutput(kept: {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
  /** Cleaned when the command ended. */
  readonly output: string;
  readonly exitCode: number;
}): RunningCommand {
  const { id, exitCode } = kept;
  const bytes = Buffer.from(kept.output);
  return {
    id,
    command: kept.command,
    startedAtMs: kept.startedAtMs,
    ended: Promise.resolve(),
    status: () => ({ running: false, exitCode }),
    read(cursor = 0, maxBytes = bytes.length) {
      const from = Math.min(cursor, bytes.length);
      const page = firstBytes(bytes.subarray(from), maxBytes);
      const nextCursor = from + page.length;
      return { text: page.toString('utf8'), nextCursor, droppedBytes: 0, more: nextCursor < bytes.length };
    },
    network: () => [],
    write: () => Promise.reject(takesNoInput(id)),
    interrupt: () => {},
    kill: async () => {},
    wait: async () => {},
  };
}
