import type { Buffer } from 'node:buffer';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connectTo } from '../hook/connect.ts';
import { Entrusted } from './entrusted.ts';
import {
  createFrameSplitter,
  type FrameType,
  frame,
  frameTypes,
  type Greeting,
  jsonFrame,
  readWords,
  type Taken,
  type Welcome,
} from './frames.ts';
import { Sent } from './sent.ts';
import { ofProcess, residentSocketOf } from './standing.ts';

/** Joins this process's streams to the resident server. Undefined: this session is to be served in this process. */
export async function join(args: readonly string[]): Promise<number | undefined> {
  try {
    const script = process.argv[1] ?? '';
    const socket = residentSocketOf(process.env, script);
    if (socket === undefined) return undefined;
    return await new Joined({ args, cwd: process.cwd(), environment: process.env }, socket, script).run();
  } catch (error) {
    if (error instanceof LeftWithoutServer) {
      process.stderr.write(`sekisho: ${error.message}\n`);
      // Else the client would wait for a process that answers no more.
      process.stdin.destroy();
      return systemFailed;
    }
    return undefined;
  }
}

class LeftWithoutServer extends Error {}

/** The streams of one client, which outlive the servers that they are joined to. */
class Joined {
  readonly #greeting: Greeting;
  readonly #path: string;
  readonly #script: string;
  readonly #entrusted = new Entrusted();
  #sent = new Sent();
  #socket: Socket | undefined;
  #welcome: Welcome | undefined;
  /** The client's bytes flow. */
  #isReading = false;
  #hasEnded = false;
  #stoppedAtMs: number | undefined;
  #unansweredPings = 0;
  readonly #over = Promise.withResolvers<number | undefined>();
  #isOver = false;
  readonly #deaths: number[] = [];

  constructor(greeting: Greeting, path: string, script: string) {
    this.#greeting = greeting;
    this.#path = path;
    this.#script = script;
  }

  async run(): Promise<number | undefined> {
    process.stdout.on('error', () => this.#leave());
    process.stderr.on('error', () => {});
    const alive = setInterval(() => this.#askForLife(), pingMs).unref();
    await this.#connect(this.#greeting);
    const exitCode = await this.#over.promise;
    clearInterval(alive);
    this.#socket?.destroy();
    // Else it is for the server in this process.
    if (exitCode !== undefined) process.stdin.destroy();
    return exitCode;
  }

  async #connect(greeting: Greeting): Promise<void> {
    const environment = { ...ofProcess(process.env), PATH: process.env.PATH };
    const socket = await connectTo(this.#path, {
      script: this.#script,
      flags: [],
      command: 'resident',
      // A session that has begun cannot be served elsewhere.
      patienceMs: this.#welcome ? restartMs : startMs,
      environment,
    });
    if (statSync(this.#path).uid !== process.getuid?.()) throw new Error('the socket is of another user');
    this.#socket = socket;
    this.#unansweredPings = 0;
    const split = createFrameSplitter(mostFrameBytes, (type, body) => this.#take(type, body));
    socket.on('data', split);
    socket.on('drain', () => this.#isReading && process.stdin.resume());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => void this.#lost().catch((error: unknown) => this.#fail(error)));
    this.#send(jsonFrame(frameTypes.greeting, greeting));
  }

  #take(type: number, body: Buffer): void {
    this.#unansweredPings = 0;
    const json = () => JSON.parse(body.toString('utf8'));
    switch (type as FrameType) {
      case frameTypes.words:
        this.#print(body);
        break;
      case frameTypes.taken: {
        const taken = json() as Taken;
        this.#entrusted.take(taken, () => this.#sent.slice(taken.from ?? 0, taken.to));
        this.#sent.drop(taken.to);
        break;
      }
      case frameTypes.log:
        process.stderr.write(body);
        break;
      case frameTypes.welcome:
        this.#begin(json() as Welcome);
        break;
      case frameTypes.exit:
        this.#finish((json() as { code: number }).code);
        break;
      case frameTypes.alone:
        this.#fail(new LeftWithoutServer(String(json().why)));
        break;
      default:
    }
  }

  #print(body: Buffer): void {
    const { keys, words } = readWords(body);
    for (const key of keys) this.#entrusted.settle(key);
    const socket = this.#socket;
    if (words.length === 0 || process.stdout.write(words) || !socket) return;
    // A client that does not read holds up its own session alone.
    socket.pause();
    process.stdout.once('drain', () => socket.resume());
  }

  /** From here on the client's bytes are ours to deliver. */
  #begin(welcome: Welcome): void {
    const isFirst = this.#welcome === undefined;
    this.#welcome = welcome;
    for (const chunk of this.#sent.all()) this.#send(frame(frameTypes.bytes, chunk));
    if (this.#hasEnded) this.#send(frame(frameTypes.end));
    if (this.#stoppedAtMs !== undefined) this.#send(frame(frameTypes.stop));
    this.#isReading = true;
    if (!isFirst) {
      process.stdin.resume();
      return;
    }
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => this.#stop());
    process.stdin.on('data', (chunk: Buffer) => this.#pass(chunk));
    process.stdin.once('end', () => this.#end()).once('error', () => this.#end());
  }

  #pass(chunk: Buffer): void {
    this.#sent.add(chunk);
    if (!this.#isReading || !this.#send(frame(frameTypes.bytes, chunk))) process.stdin.pause();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#isReading) this.#send(frame(frameTypes.end));
  }

  /** As `untilTold` of a server in this process: a second signal, a while after the first, ends it at once. */
  #stop(): void {
    const nowMs = performance.now();
    if (this.#stoppedAtMs !== undefined && nowMs - this.#stoppedAtMs > togetherMs) process.exit(systemFailed);
    this.#stoppedAtMs ??= nowMs;
    if (this.#isReading) this.#send(frame(frameTypes.stop));
  }

  #send(bytes: Buffer): boolean {
    return this.#socket?.writable === true && this.#socket.write(bytes);
  }

  /** The client is gone. */
  #leave(): void {
    this.#finish(0);
  }

  /** The server has died: what had begun is answered, and all else goes to the next one. */
  async #lost(): Promise<void> {
    this.#isReading = false;
    if (this.#isOver) return;
    const { said, answered, again } = this.#entrusted.release();
    process.stdout.write(said);
    if (!this.#welcome) throw new Error('the server ended before it answered');
    const nowMs = performance.now();
    this.#deaths.push(nowMs);
    if (this.#deaths.filter((atMs) => nowMs - atMs < oftenMs).length > mostDeaths)
      throw new LeftWithoutServer('The server has ended again and again.');
    process.stderr.write(`sekisho: ${startedAgain()}\n`);
    this.#sent = new Sent([...again, ...this.#sent.all()]);
    const resumed = { session: this.#welcome.session, lines: answered };
    await this.#connect({ ...this.#greeting, resumed });
  }

  #finish(code: number | undefined): void {
    this.#isOver = true;
    this.#over.resolve(code);
  }

  #fail(error: unknown): void {
    // Only a session that has not begun can be served elsewhere.
    this.#isOver = true;
    if (this.#welcome === undefined) this.#over.resolve(undefined);
    else this.#over.reject(error instanceof LeftWithoutServer ? error : new LeftWithoutServer(String(error)));
  }

  /** Ends a server that no longer answers, so that another one is started. */
  #askForLife(): void {
    const socket = this.#socket;
    if (!this.#welcome || !this.#isReading || !socket || socket.isPaused()) return;
    if (this.#unansweredPings >= mostUnansweredPings) {
      try {
        process.kill(this.#welcome.pid, 'SIGKILL');
      } catch {
        // It is gone.
      }
      socket.destroy();
      return;
    }
    this.#unansweredPings += 1;
    this.#send(frame(frameTypes.ping));
  }
}

/** Without our texts, which would take longer to load than all else here. */
function startedAgain(): string {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  return /^ja/i.test(LC_ALL || LC_MESSAGES || LANG || '')
    ? 'サーバーが終了したため起動し直しました。セッションは続きます。'
    : 'The server ended; it is started again, and the session goes on.';
}

const systemFailed = 3;
const togetherMs = 1000;
/** After that, a session that begins is served in this process. */
const startMs = 15_000;
const restartMs = 60_000;
const pingMs = 10_000;
/** Each is sent by a timer of its own, so that a machine that slept has not missed several. */
const mostUnansweredPings = 3;
const oftenMs = 60_000;
const mostDeaths = 60;
/** The longest reply is much shorter. */
const mostFrameBytes = 256 * 1024 * 1024;
