import { Buffer } from 'node:buffer';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import type { Checkpoint, HeldClient } from '../../checkpoint/index.ts';
import { runtimeOf } from '../../config/runtime.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { limits } from '../../contract/limits.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { flagsOf } from '../common/options.ts';
import { startedIn } from '../common/own-command.ts';
import { withServeOptions } from '../program/serve-options.ts';
import { type ClientPlace, openServed, serveClient, settingsOfClient } from '../serving/client-session.ts';
import type { SharedCheckpoints } from './checkpoints.ts';
import { frame, frameTypes, type Greeting, jsonFrame, type Taken, wordsFrame } from './frames.ts';
import { LineSource } from './line-source.ts';

/** A session as `sekisho ps` shows it. */
export interface SessionView {
  readonly id: string;
  readonly client: string;
  readonly folder: string;
  readonly sinceMs: number;
}

/** Why a session is to be served by the process that its client started. */
class ServedAlone extends Error {}

/** One client, whose streams another process holds and passes on. */
export class Session {
  readonly #socket: Socket;
  readonly #input = new LineSource(() => this.#noteReceived());
  readonly #stop = new AbortController();
  readonly #settled: number[] = [];
  readonly #output: Writable;
  #notedTo = 0;
  #keys = 0;
  #flushing: NodeJS.Timeout | undefined;
  #id: string = randomUUID();
  #client = '';
  #folder = '';
  readonly #sinceMs = Date.now();

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#output = this.#createOutput();
    this.#input.on('flows', () => socket.resume());
    socket.once('close', () => {
      this.#output.destroy();
      this.#input.destroy();
    });
  }

  get view(): SessionView {
    return { id: this.#id, client: this.#client, folder: this.#folder, sinceMs: this.#sinceMs };
  }

  /** Serves until the client has left. Throws if it is to be served alone. */
  async serve(
    { args, cwd, environment, resumed }: Greeting,
    { checkpoints, seal }: { readonly checkpoints: SharedCheckpoints; readonly seal: Seal },
  ): Promise<void> {
    const { flags, options } = parse(args);
    const config = flags.config === undefined ? undefined : resolve(cwd, flags.config);
    if (runtimeOf({ config }, environment, process.platform).runtime !== 'host')
      throw new ServedAlone('the settings name a container');
    const started = startedIn(cwd, environment);
    const own = { flags, options, cwd, environment, started };
    const tell = (words: string) => void this.#socket.write(frame(frameTypes.log, `${cleanText(words)}\n`));
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
            open: (common, log) => openServed(settings, { ...own, environment: common, tell: log }),
          }),
        ),
    };
    const settings = settingsOfClient(place);
    assertWanted(settings, options, environment);
    this.#id = seal.open(resumed?.session) ?? this.#id;
    const held: HeldClient = {
      connectionId: this.#id,
      custody: { take: (entrusted) => this.#entrust(entrusted), settle: (key) => this.#settle(key) },
      resumed: resumed?.lines,
    };
    const served = await serveClient(place, settings, {
      // It has what the transport uses of a stream.
      input: this.#input as unknown as Readable,
      output: this.#output,
      signal: this.#stop.signal,
      held,
    });
    this.#socket.write(jsonFrame(frameTypes.welcome, { session: seal.close(this.#id), pid: process.pid }));
    await served.closed;
    await served.close(limits.stopGraceMs);
    clearTimeout(this.#flushing);
    this.#socket.end(jsonFrame(frameTypes.exit, { code: 0 }));
  }

  /** A frame from the process that holds the streams. */
  take(type: number, body: Buffer): void {
    if (type === frameTypes.ping) this.#socket.write(frame(frameTypes.ping));
    else if (type === frameTypes.stop) this.stop();
    else if (type === frameTypes.end) this.#input.end();
    else if (type === frameTypes.bytes) {
      this.#input.feed(body);
      if (this.#input.isPaused) this.#socket.pause();
    }
  }

  /** Ends what runs, as a signal to a server of its own would. */
  stop(): void {
    this.#stop.abort();
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

  #entrust(entrusted: Omit<Taken, 'to' | 'from' | 'key'>): { key: number; known: Promise<void> | undefined } {
    this.#keys += 1;
    const { from, to } = this.#input;
    this.#notedTo = to;
    const note: Taken = { ...entrusted, key: this.#keys, from, to };
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = this.#socket;
    socket.write(jsonFrame(frameTypes.taken, note), () => resolve());
    // Usually the kernel has taken it at once.
    return { key: this.#keys, known: socket.writableLength === 0 ? undefined : promise };
  }

  /** The key goes with the next words, or alone if there are none. */
  #settle(key: number): void {
    this.#settled.push(key);
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined;
      if (this.#settled.length > 0 && !this.#output.destroyed) this.#output.write('');
    }, settleMs);
  }

  /** Notes and answers to our questions need no entry of their own. */
  #noteReceived(): void {
    const { to } = this.#input;
    if (to === this.#notedTo) return;
    this.#notedTo = to;
    this.#socket.write(jsonFrame(frameTypes.taken, { to } satisfies Taken));
  }

  /** Words for the client. One that does not read loses its session before it fills our memory. */
  #createOutput(): Writable {
    const keys: (readonly number[])[] = [];
    const socket = this.#socket;
    const output = new Writable({
      decodeStrings: true,
      write(chunk: Buffer, _, done) {
        socket.write(wordsFrame(keys.shift() ?? [], chunk), done);
      },
    });
    const write = output.write.bind(output) as (...given: unknown[]) => boolean;
    output.write = (...given: unknown[]) => {
      keys.push(this.#settled.splice(0));
      const hasRoom = write(...given);
      if (output.writableLength > mostUnreadBytes) socket.destroy();
      return hasRoom;
    };
    output.on('error', () => {});
    return output;
  }
}

/** Names sessions so that no other process can name one as its own. */
export class Seal {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  close(id: string): string {
    return `${id}.${this.#digest(id).toString('hex')}`;
  }

  open(sealed: string | undefined): string | undefined {
    const [id = '', digest = ''] = sealed?.split('.') ?? [];
    const given = Buffer.from(digest, 'hex');
    const own = this.#digest(id);
    return given.length === own.length && timingSafeEqual(given, own) ? id : undefined;
  }

  #digest(id: string): Buffer {
    return createHmac('sha256', this.#key).update(id).digest();
  }
}

/** Any mistake in the arguments is reported by the process that the person started. */
function parse(args: readonly string[]): {
  readonly flags: Flags;
  readonly options: Record<string, unknown>;
} {
  const command = withServeOptions(new Command('serve'))
    .exitOverride()
    .configureOutput({ writeErr() {} });
  command.parse(args as string[], { from: 'user' });
  const options = command.opts();
  return { flags: flagsOf(options), options };
}

function assertWanted(
  settings: Settings,
  options: Readonly<Record<string, unknown>>,
  { SEKISHO_RESIDENT }: NodeJS.ProcessEnv,
): void {
  if (options.resident === true || SEKISHO_RESIDENT === 'on' || settings.resident) return;
  throw new ServedAlone('the settings ask for a server of its own');
}

const settleMs = 50;
const mostUnreadBytes = 64 * 1024 * 1024;
