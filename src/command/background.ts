import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundCommand, NetworkContact } from '../contract/capabilities/process.ts';
import { ToolError } from '../contract/error.ts';
import { cleanChunk, cleanText } from '../contract/text/clean-text.ts';
import { text } from '../contract/text/text.ts';
import { firstBytes } from '../ground/text/cut-middle.ts';
import type { Child } from './child/child.ts';
import type { Ending, EndNotes } from './child/run-child.ts';
import { signal as send } from './child/tree.ts';
import { continuationBytes, wholeCharacters } from './output/output.ts';

/** A command that goes on in the background: its newest output is kept, both streams in order of arrival. */
export interface RunningCommand extends BackgroundCommand {
  readonly ended: Promise<void>;
}

export interface BackgroundOptions {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
  readonly keepBytes: number;
  /** Resolves with the command's end, for any cause. */
  readonly ending: Promise<Ending>;
  readonly stop: () => void;
  /** Output from before it was in the background. */
  readonly printed?: string | undefined;
  readonly contacts: () => readonly NetworkContact[];
  /** Makes the notes that are appended to its output at the end. */
  readonly notes: EndNotes;
}

export function watchBackground(
  child: Child,
  { id, command, startedAtMs, keepBytes, ending, stop, printed = '', contacts, notes }: BackgroundOptions,
): RunningCommand {
  let kept = Buffer.alloc(0);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let total = 0;
  let exit: Ending | undefined;

  function add(chunk: Buffer): void {
    total += chunk.length;
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes > keepBytes) settle();
  }

  /** The newest bytes as one buffer. */
  function settle(): Buffer {
    if (pending.length > 0) {
      const all = Buffer.concat([kept, ...pending]);
      kept = all.length > keepBytes ? Buffer.from(all.subarray(all.length - keepBytes)) : all;
      pending = [];
      pendingBytes = 0;
    }
    return kept;
  }

  add(Buffer.from(printed));
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const ended = ending.then((how) => {
    for (const note of notes(how, [settle().toString('utf8')])) add(Buffer.from(note));
    exit = how;
  });

  function read(cursor = 0, maxBytes = keepBytes) {
    const bytes = settle();
    const first = total - bytes.length;
    const from = Math.min(Math.max(cursor, first), total);
    const dropped = Math.max(0, first - cursor);
    let part = bytes.subarray(from - first);
    if (dropped > 0) part = part.subarray(continuationBytes(part));
    const skipped = bytes.length - (from - first) - part.length;
    const droppedBytes = dropped + skipped;
    const page = firstBytes(part, maxBytes);
    const more = page.length < part.length;
    if (exit && !more)
      return { text: cleanText(part.toString('utf8')), nextCursor: total, droppedBytes, more };
    part = page;
    const whole = wholeCharacters(part);
    const cleaned = cleanChunk(whole.toString('utf8'));
    return {
      text: cleaned.text,
      nextCursor: Math.max(from + skipped, from + skipped + whole.length - Buffer.byteLength(cleaned.rest)),
      droppedBytes,
      more,
    };
  }

  return {
    id,
    command,
    startedAtMs,
    ended,
    status() {
      if (!exit) return { running: true };
      const { exitCode, signal, stoppedBy } = exit;
      return {
        running: false,
        exitCode,
        ...(signal !== undefined && { signal }),
        ...(stoppedBy === 'timeout' && { timedOut: true }),
      };
    },
    read,
    network: contacts,
    async write(input) {
      const { stdin } = child;
      if (exit || !stdin || stdin.destroyed) {
        throw takesNoInput(id);
      }
      await new Promise<void>((resolve, reject) => {
        stdin.write(input, (error) => {
          if (!error) return resolve();
          reject(
            new ToolError('conflict', text(`${id} closed its input.`, `${id} は入力を閉じています。`), {
              cause: error,
            }),
          );
        });
      });
    },
    interrupt() {
      if (exit) return;
      for (const pid of child.members()) send(pid, 'SIGINT');
    },
    async kill() {
      stop();
      await ended;
    },
    async wait(timeoutMs, signal) {
      const over = new AbortController();
      const withdrawn = AbortSignal.any([signal, over.signal]);
      // After a withdrawal or a timeout there is nothing to report: the caller looks at the state.
      await Promise.race([ended, sleep(timeoutMs, undefined, { signal: withdrawn }).catch(() => {})]);
      over.abort();
    },
  };
}

export function takesNoInput(id: string): ToolError {
  return new ToolError(
    'conflict',
    text(
      `${id} takes no input: it has ended, or was not started with background.`,
      `${id} は終了しているか、background で開始されていないため、入力を受け付けません。`,
    ),
  );
}
