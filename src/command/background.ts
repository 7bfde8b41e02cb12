import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundCommand, NetworkContact } from '../contract/capabilities/process.ts';
import { ToolError } from '../contract/error.ts';
import { cleanChunk, cleanText } from '../contract/text/clean-text.ts';
import { firstBytes } from '../ground/text/cut-middle.ts';
import { continued, wholeLength } from '../ground/text/utf8-ends.ts';
import { personStops } from '../ground/waiting/abort.ts';
import type { Child } from './child/child.ts';
import type { Ending, EndNotes } from './child/run-child.ts';
import { signal as send } from './child/tree.ts';
import type { Lines } from './output/lines.ts';

interface Identity {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
}

/** A program that goes on after its call. */
export interface Going {
  readonly child: Child;
  /** Resolves with the command's end, for any cause. */
  readonly ending: Promise<Ending>;
  readonly stop: (reason?: unknown) => void;
  /** Output from before it was in the background. */
  readonly printed?: string | undefined;
  /** Lines for its output that come while it runs. */
  readonly published: Lines;
  readonly contacts: () => readonly NetworkContact[];
  /** Makes the notes that are appended to its output at the end. */
  readonly notes: EndNotes;
}

/** A command in the background, or an ended one with long output. Its newest output is kept, in order of arrival. */
export class RunningCommand implements BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
  readonly ended: Promise<void>;
  readonly #keepBytes: number;
  readonly #going: Going | undefined;
  #kept = Buffer.alloc(0);
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #total = 0;
  #exit: Ending | undefined;

  constructor({ id, command, startedAtMs }: Identity, keepBytes: number, going?: Going) {
    this.id = id;
    this.command = command;
    this.startedAtMs = startedAtMs;
    this.#keepBytes = keepBytes;
    this.#going = going;
    this.#add(going?.printed ?? '');
    for (const stream of [going?.child.stdout, going?.child.stderr])
      stream?.on('data', (chunk) => this.#add(chunk));
    going?.published.follow((line) => this.#add(line));
    this.ended = going ? this.#end(going) : Promise.resolve();
  }

  /** `output` was cleaned when the command ended. */
  static keep(identity: Identity, output: string, exitCode: number): RunningCommand {
    const kept = new RunningCommand(identity, Buffer.byteLength(output));
    kept.#add(output);
    kept.#exit = { exitCode, signal: undefined, stoppedBy: undefined };
    return kept;
  }

  status(): ReturnType<BackgroundCommand['status']> {
    if (!this.#exit) return { running: true };
    const { exitCode, signal, stoppedBy } = this.#exit;
    return {
      running: false,
      exitCode,
      ...(signal !== undefined && { signal }),
      ...(stoppedBy === 'timeout' && { timedOut: true }),
    };
  }

  read(cursor = 0, maxBytes = this.#keepBytes): ReturnType<BackgroundCommand['read']> {
    const bytes = this.#settle();
    const total = this.#total;
    const first = total - bytes.length;
    const from = Math.min(Math.max(cursor, first), total);
    const dropped = Math.max(0, first - cursor);
    let part = bytes.subarray(from - first);
    if (dropped > 0) part = part.subarray(continued(part));
    const skipped = bytes.length - (from - first) - part.length;
    const droppedBytes = dropped + skipped;
    const page = firstBytes(part, maxBytes);
    const more = page.length < part.length;
    if (this.#exit && !more)
      return { text: cleanText(part.toString('utf8')), nextCursor: total, droppedBytes, more };
    const whole = page.subarray(0, wholeLength(page));
    const { text, rest } = cleanChunk(whole.toString('utf8'));
    const ahead = Math.max(0, whole.length - Buffer.byteLength(rest));
    return { text, nextCursor: from + skipped + ahead, droppedBytes, more };
  }

  network(): readonly NetworkContact[] {
    return this.#going?.contacts() ?? [];
  }

  async write(input: string): Promise<void> {
    const stdin = this.#going?.child.stdin;
    if (this.#exit || !stdin || stdin.destroyed)
      throw new ToolError(
        'conflict',
        `${this.id} takes no input: it has ended, or was not started with background.`,
        `${this.id} は終了しているか、background で開始されていないため、入力を受け付けません。`,
      );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(input, (error) => (error ? reject(closedInput(this.id, error)) : resolve()));
    await promise;
  }

  interrupt(): void {
    if (!this.#exit) for (const pid of this.#going?.child.members() ?? []) send(pid, 'SIGINT');
  }

  async kill(reason?: unknown): Promise<void> {
    if (reason === personStops && !this.#exit) this.#add('[stopped: a person stopped all work]\n');
    this.#going?.stop(reason);
    await this.ended;
  }

  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const withdrawn = AbortSignal.any([signal, over.signal]);
    // After a withdrawal or a timeout there is nothing to report: the caller looks at the state.
    await Promise.race([this.ended, sleep(timeoutMs, undefined, { signal: withdrawn }).catch(() => {})]);
    over.abort();
  }

  async #end({ ending, notes }: Going): Promise<void> {
    const how = await ending;
    for (const note of notes(how, [this.#settle().toString('utf8')])) this.#add(note);
    this.#exit = how;
  }

  #add(chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#total += bytes.length;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#keepBytes) this.#settle();
  }

  /** The newest bytes as one buffer. */
  #settle(): Buffer {
    if (this.#pending.length > 0) {
      const all = Buffer.concat([this.#kept, ...this.#pending]);
      const from = all.length - this.#keepBytes;
      this.#kept = from > 0 ? Buffer.from(all.subarray(from)) : all;
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    return this.#kept;
  }
}

function closedInput(id: string, cause: Error): ToolError {
  return new ToolError('conflict', `${id} closed its input.`, `${id} は入力を閉じています。`, { cause });
}
