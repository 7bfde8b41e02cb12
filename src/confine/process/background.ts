import { Buffer } from 'node:buffer';
import { cleanChunk, cleanText } from '../../contract/clean-text.ts';
import { ToolError } from '../../contract/error.ts';
import type { BackgroundCommand, NetworkContact } from '../../contract/process.ts';
import { text } from '../../contract/text.ts';
import { firstBytes } from '../../ground/cut-middle.ts';
import type { Child } from './child/child.ts';
import { describe, stopTree } from './child/run-child.ts';
import { watchCrowd } from './crowd.ts';
import { continuationBytes, wholeCharacters } from './output.ts';

/** A command that goes on by itself: its newest output is kept, both streams as they came. */
export interface RunningCommand extends BackgroundCommand {
  readonly ended: Promise<void>;
}

export function watchBackground(
  child: Child,
  {
    id,
    command,
    startedAtMs,
    keepBytes,
    maxMs,
    maxProcesses,
    onOutput,
    contacts,
  }: {
    readonly id: string;
    readonly command: string;
    readonly startedAtMs: number;
    readonly keepBytes: number;
    readonly maxMs: number;
    readonly maxProcesses: number;
    readonly onOutput?: ((stream: 'stdout' | 'stderr', bytes: number) => void) | undefined;
    readonly contacts?: (() => readonly NetworkContact[]) | undefined;
  },
): RunningCommand {
  let kept = Buffer.alloc(0);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let total = 0;
  let exit: { exitCode: number; signal: string | undefined } | undefined;
  let stopping: Promise<void> | undefined;
  const waiting = new Set<() => void>();

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  function add(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    total += chunk.length;
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes > keepBytes) settle();
    onOutput?.(stream, chunk.length);
    wake();
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

  function stop(): Promise<void> {
    stopping ??= stopTree(child);
    return stopping;
  }

  child.stdout.on('data', (chunk: Buffer) => add('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => add('stderr', chunk));
  const crowd = watchCrowd(child, maxProcesses, () => {
    stopping ??= stopTree(child, 0);
  });
  const timer = setTimeout(() => void stop(), maxMs);
  timer.unref();

  async function finish(): Promise<void> {
    const ending = await child.exited;
    await stopping;
    clearTimeout(timer);
    crowd.close();
    // What it left behind ends with it, and with that the pipes.
    child.destroy();
    await Promise.race([
      Promise.all([finished(child.stdout), finished(child.stderr)]),
      new Promise((resolve) => setTimeout(resolve, 1000).unref()),
    ]);
    child.stdout.destroy();
    child.stderr.destroy();
    exit = describe(ending, stopping !== undefined);
    wake();
  }

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

  const ended = finish();
  return {
    id,
    command,
    startedAtMs,
    ended,
    status() {
      if (!exit) return { running: true };
      const { exitCode, signal } = exit;
      return signal === undefined ? { running: false, exitCode } : { running: false, exitCode, signal };
    },
    read,
    network: () => contacts?.() ?? [],
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
    async kill() {
      await stop();
      await ended;
    },
    async wait(cursor, timeoutMs, signal) {
      const deadline = performance.now() + timeoutMs;
      while (!exit && !signal.aborted && read(cursor).text === '') {
        const left = deadline - performance.now();
        if (left <= 0) return;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, left);
          function done(): void {
            clearTimeout(timer);
            waiting.delete(done);
            signal.removeEventListener('abort', done);
            resolve();
          }
          waiting.add(done);
          signal.addEventListener('abort', done, { once: true });
        });
      }
    },
  };
}

export function takesNoInput(id: string): ToolError {
  return new ToolError(
    'conflict',
    text(`${id} takes no input: it has ended.`, `${id} は終了しており、入力を受け付けません。`),
  );
}

function finished(stream: Child['stdout']): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed || stream.readableEnded) return resolve();
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}
