import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import type { Checkpoint, Peers } from '../../checkpoint/index.ts';
import { runtimeOf } from '../../config/runtime.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { limits } from '../../contract/limits.ts';
import type { SharedSession } from '../../contract/shared-server.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { text } from '../../contract/text/text.ts';
import { startedIn } from '../common/own-command.ts';
import { withServeOptions } from '../program/serve-options.ts';
import { type ClientPlace, openServed, serveClient, settingsOfClient } from '../serving/client-session.ts';
import type { SharedCheckpoints } from './checkpoints.ts';
import type { JoinedProgram } from './joined-program.ts';
import { type Entrusted, Notes } from './notes.ts';
import { headBytes, kinds, maxPartBytes } from './small-program.ts';

/** A session is to be served by the process that its client started. */
export class ServedAlone extends Error {}

interface Resources {
  readonly checkpoints: SharedCheckpoints;
  readonly peers: Peers;
  /** The sessions of other clients. */
  readonly others: ReadonlySet<string>;
}

/** One client, whose streams a small program holds. */
export class Session {
  readonly #socket: Socket;
  readonly #program: JoinedProgram;
  readonly #stop = new AbortController();
  readonly #settled: number[] = [];
  #notes: Notes | undefined;
  /** The greeting before the client's bytes flow. */
  #unsaid: Buffer[] | undefined = [];
  /** The number of the last words. */
  #number = 0;
  #flushing: NodeJS.Timeout | undefined;
  #stoppedAtMs: number | undefined;
  #id = '';
  #client = '';
  #folder = '';
  readonly #sinceMs = Date.now();

  constructor(socket: Socket, program: JoinedProgram) {
    this.#socket = socket;
    this.#program = program;
  }

  get view(): SharedSession {
    return { id: this.#id, client: this.#client, folder: this.#folder, sinceMs: this.#sinceMs };
  }

  /** Serves until the client has left. Throws if it is to be served alone. */
  async serve({ checkpoints, peers, others }: Resources): Promise<void> {
    const { args, cwd, environment, pid } = this.#program;
    const { flags, options } = readServeArguments(args);
    const config = flags.config === undefined ? undefined : resolve(cwd, flags.config);
    if (runtimeOf({ config }, environment, process.platform).runtime !== 'host') throw new ServedAlone();
    const own = { flags, options, cwd, environment, started: startedIn(cwd, environment) };
    const tell = (words: string) => this.#send(kinds.logged, Buffer.from(`${cleanText(words)}\n`));
    const place: ClientPlace = {
      ...own,
      tell,
      open: async (settings) =>
        this.#seen(
          await checkpoints.lease({
            settings,
            role: options.as,
            environment,
            log: tell,
            session: this.#id,
            open: (common, log) => openServed(settings, { ...own, environment: common, tell: log }),
          }),
        ),
    };
    const settings = settingsOfClient(place);
    if (options.alone || environment.SEKISHO_RESIDENT === 'off' || settings.resident === false)
      throw new ServedAlone();
    const notes = new Notes(pid, randomUUID(), peers);
    try {
      await this.#serveFrom(notes, place, settings, others);
    } finally {
      clearTimeout(this.#flushing);
      this.#notes = undefined;
      notes.close();
    }
  }

  async #serveFrom(notes: Notes, place: ClientPlace, settings: Settings, others: ReadonlySet<string>) {
    const { begun } = notes;
    if (begun.deathsMs.filter((atMs) => Date.now() - atMs < oftenMs).length > mostDeaths) {
      this.#begin(begun.to);
      place.tell(`sekisho: ${endsAgain[settings.locale]}`);
      this.#exit(systemFailed);
      return;
    }
    this.#id = others.has(begun.session) ? randomUUID() : begun.session;
    this.#notes = notes;
    this.#number = notes.received;
    const isResumed = begun.deathsMs.length > 0;
    if (isResumed) {
      const said = begun.settled.flatMap(({ lines }) => lines.map(({ entrusted }) => wordsOf(entrusted)));
      this.#say(Buffer.from(said.join('')));
      place.tell(`sekisho: ${startedAgain[settings.locale]}`);
    }
    const again = Buffer.from(begun.again);
    /** The end of what was received. */
    let to = begun.to - again.length;
    const output = this.#createOutput();
    this.#socket.once('close', () => output.destroy());
    const served = await serveClient(place, settings, {
      input: this.#socket,
      output,
      signal: this.#stop.signal,
      held: {
        connectionId: this.#id,
        custody: {
          onReceived: (bytes) => {
            to += bytes;
          },
          looked: () => notes.receivedTo(to),
          take: (entrusted, line) => notes.take(entrusted, line, to),
          settle: (key) => this.#settle(key, output),
        },
        resumed: isResumed ? begun.kept.map(([, line]) => line) : undefined,
      },
      // A process of its own meets the same problem, and reports it.
    }).catch((cause: unknown) => Promise.reject(new ServedAlone('', { cause })));
    this.#begin(begun.to);
    if (again.length > 0) this.#socket.unshift(again);
    this.#socket.resume();
    await served.closed;
    await served.close(limits.stopGraceMs);
    this.#exit(0);
  }

  /** Ends what runs, as a signal to a server of its own would; asked again after a while, it ends at once. */
  stop(): void {
    const nowMs = performance.now();
    if (this.#stoppedAtMs !== undefined && nowMs - this.#stoppedAtMs > togetherMs) this.#exit(systemFailed);
    this.#stoppedAtMs ??= nowMs;
    this.#stop.abort();
  }

  /** Shows the program that this server lives. */
  live(): void {
    if (!this.#unsaid) this.#send(kinds.logged, empty);
  }

  /** The program is to be served by a process of its own. */
  decline(why: string): void {
    if (this.#unsaid) this.#end(kinds.alone, Buffer.from(why), 0);
    else this.#socket.destroy();
  }

  sendElsewhere(): void {
    this.#end(kinds.elsewhere, empty, 0);
  }

  #begin(from: number): void {
    this.#socket.write(Buffer.concat([frame(kinds.welcome, empty, from), ...(this.#unsaid ?? [])]));
    this.#unsaid = undefined;
  }

  /** Bytes of the client that nobody reads would keep the connection open. */
  #end(kind: number, words: Buffer, number: number): void {
    this.#socket.end(frame(kind, words, number)).resume();
  }

  #exit(status: number): void {
    if (!this.#socket.destroyed) this.#end(kinds.exit, empty, status);
  }

  /** Notes the client's name as it calls. */
  #seen(checkpoint: Checkpoint): Checkpoint {
    const { gateway, settings } = checkpoint;
    this.#folder = settings.roots[0]?.path ?? '';
    return {
      ...checkpoint,
      gateway: {
        ...gateway,
        list: (arrival) => {
          if (arrival.client) this.#client = `${arrival.client.name} ${arrival.client.version}`;
          return gateway.list(arrival);
        },
      },
    };
  }

  /** The key goes with the next words, or alone if there are none. */
  #settle(key: number, output: Writable): void {
    this.#settled.push(key);
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined;
      if (this.#settled.length > 0 && !output.destroyed) output.write('');
    }, settleMs);
  }

  /** Words for the client. One that does not read loses its session before it fills our memory. */
  #createOutput(): Writable {
    const output = new Writable({
      decodeStrings: true,
      write: (chunk: Buffer, _, done) => {
        this.#notes?.settle(this.#number + 1, this.#settled.splice(0));
        this.#say(chunk, done);
      },
    });
    const write = output.write.bind(output) as (...given: unknown[]) => boolean;
    output.write = (...given: unknown[]) => {
      const hasRoom = write(...given);
      if (output.writableLength > mostUnreadBytes) this.#socket.destroy();
      return hasRoom;
    };
    output.on('error', () => {});
    return output;
  }

  #say(words: Buffer, done?: () => void): void {
    this.#number += 1;
    this.#send(kinds.said, words, done);
  }

  #send(kind: number, words: Buffer, done?: () => void): void {
    const frames: Buffer[] = [];
    for (let at = 0; at === 0 || at < words.length; at += maxPartBytes) {
      const part = words.subarray(at, at + maxPartBytes);
      frames.push(
        head(at + maxPartBytes < words.length ? kinds.part : kind, part.length, this.#number),
        part,
      );
    }
    const bytes = Buffer.concat(frames);
    if (this.#unsaid) {
      this.#unsaid.push(bytes);
      done?.();
    } else this.#socket.write(bytes, done);
  }
}

function frame(kind: number, body: Buffer, number: number): Buffer {
  return Buffer.concat([head(kind, body.length, number), body]);
}

function head(kind: number, length: number, number: number): Buffer {
  const bytes = Buffer.alloc(headBytes);
  bytes.writeUInt32LE(kind, 0);
  bytes.writeUInt32LE(length, 4);
  bytes.writeBigUInt64LE(BigInt(number), 8);
  return bytes;
}

function wordsOf(entrusted: Entrusted): string {
  return entrusted.kind === 'say' ? `${entrusted.words}\n` : '';
}

/** Any mistake in the arguments is reported by the process that the person started. */
export function readServeArguments(args: readonly string[]): {
  readonly flags: Flags;
  readonly options: Record<string, unknown>;
} {
  const command = withServeOptions(new Command('serve'))
    .exitOverride()
    .configureOutput({ writeErr() {} });
  command.parse(args as string[], { from: 'user' });
  const options = command.opts();
  return { flags: options as Flags, options };
}

const startedAgain = text(
  'The server ended; it is started again, and the session goes on.',
  'サーバーが終了したため起動し直しました。セッションは続きます。',
);
const endsAgain = text('The server has ended again and again.', 'サーバーが何度も終了しました。');
const empty = Buffer.alloc(0);
const settleMs = 50;
const togetherMs = 1000;
const systemFailed = 3;
const oftenMs = 60_000;
/** A server that dies of a session dies several times a second. */
const mostDeaths = 120;
const mostUnreadBytes = 64 * 1024 * 1024;
