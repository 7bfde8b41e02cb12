import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { peerOf } from '../../checkpoint/index.ts';
import { limits } from '../../contract/limits.ts';
import { listen } from '../hook/server.ts';
import { keepMemorySteady } from '../serving/steady-memory.ts';
import { untilTold } from '../serving/stop.ts';
import { SharedCheckpoints } from './checkpoints.ts';
import { createFrameSplitter, frameTypes, type Greeting, jsonFrame } from './frames.ts';
import { Seal, Session } from './session.ts';
import { isOfUser, standingOf } from './standing.ts';

/** How long a checkpoint stays open without sessions, and the server without checkpoints. */
const checkpointIdleMs = 5 * 60_000;
const residentIdleMs = 60_000;

/** The server that a user's clients share, until it has been idle for a while. */
export async function serveResident(socket: string): Promise<number> {
  process.title = 'sekisho resident';
  keepMemorySteady();
  const resident = new Resident(new Seal(keyIn(dirname(socket))));
  const server = createServer({ allowHalfOpen: true }, (connection) => resident.receive(connection));
  const forget = await listen(server, socket);
  const told = untilTold();
  await Promise.race([told.signal, resident.idle()]);
  told.forget();
  forget();
  server.close();
  await resident.close();
  return 0;
}

class Resident {
  readonly #checkpoints = new SharedCheckpoints(checkpointIdleMs);
  readonly #sessions = new Set<Session>();
  readonly #connections = new Set<Socket>();
  readonly #seal: Seal;
  readonly #standing = standingOf('self');
  readonly #asked = Promise.withResolvers<void>();
  #usedAtMs = performance.now();
  #unknown = 0;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  receive(socket: Socket): void {
    this.#usedAtMs = performance.now();
    if (this.#unknown >= mostUnknown) {
      socket.destroy();
      return;
    }
    this.#unknown += 1;
    this.#connections.add(socket);
    const deadline = setTimeout(() => socket.destroy(), greetingMs);
    let session: Session | undefined;
    let isKnown = false;
    const know = () => {
      if (isKnown) return;
      isKnown = true;
      clearTimeout(deadline);
      this.#unknown -= 1;
    };
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      know();
      this.#connections.delete(socket);
    });
    const split = createFrameSplitter(mostFrameBytes, (type, body) => {
      if (session) session.take(type, body);
      else if (type !== frameTypes.greeting) socket.destroy();
      else session = this.#greet(socket, JSON.parse(body.toString('utf8')) as Greeting, know);
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        split(chunk);
      } catch {
        socket.destroy();
      }
    });
    // The small program never ends its half: it is gone.
    socket.once('end', () => socket.destroy());
  }

  /** A client gets a session; a person gets an answer. */
  #greet(socket: Socket, greeting: Greeting, know: () => void): Session | undefined {
    know();
    if (greeting.asks) {
      this.#answer(socket, greeting.asks);
      return undefined;
    }
    const session = new Session(socket);
    void this.#serve(session, socket, greeting);
    return session;
  }

  async #serve(session: Session, socket: Socket, greeting: Greeting): Promise<void> {
    try {
      if (!(await this.#hasOurStanding(socket))) throw new Error('it has other rights than this server');
      this.#sessions.add(session);
      await session.serve(greeting, { checkpoints: this.#checkpoints, seal: this.#seal });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!socket.destroyed) socket.end(jsonFrame(frameTypes.alone, { why }));
    } finally {
      this.#sessions.delete(session);
      this.#usedAtMs = performance.now();
    }
  }

  /** A client in a sandbox must not leave it by way of us. */
  async #hasOurStanding(socket: Socket): Promise<boolean> {
    const peer = await peerOf(descriptorOf(socket));
    return peer !== undefined && this.#standing !== undefined && standingOf(peer) === this.#standing;
  }

  #answer(socket: Socket, asks: NonNullable<Greeting['asks']>): void {
    void peerOf(descriptorOf(socket)).then(
      (peer) => {
        if (peer === undefined || !isOfUser(peer)) {
          socket.destroy();
          return;
        }
        if (asks.kind === 'stop') this.#stop(asks.session);
        const report = {
          pid: process.pid,
          bytes: process.memoryUsage.rss(),
          checkpoints: this.#checkpoints.size,
          sessions: [...this.#sessions].map(({ view }) => view),
        };
        socket.end(jsonFrame(frameTypes.report, report));
      },
      () => socket.destroy(),
    );
  }

  #stop(id: string | undefined): void {
    for (const session of this.#sessions) {
      if (id === undefined || session.view.id.startsWith(id)) session.stop();
    }
    if (id === undefined) this.#asked.resolve();
  }

  async idle(): Promise<void> {
    const timer = setInterval(() => {
      const isIdle = this.#sessions.size === 0 && this.#checkpoints.size === 0;
      if (isIdle && performance.now() - this.#usedAtMs > residentIdleMs) this.#asked.resolve();
    }, 10_000);
    await this.#asked.promise;
    clearInterval(timer);
  }

  /** The sessions are told to end, so that no small program starts another server. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.stop();
    const endMs = performance.now() + limits.stopGraceMs;
    while (this.#sessions.size > 0 && performance.now() < endMs) await sleep(10);
    await this.#checkpoints.close(limits.stopGraceMs);
    for (const connection of this.#connections) connection.destroy();
  }
}

/** Node has no public name for it. */
function descriptorOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** The key by which sessions are known again after a death of the server. */
function keyIn(folder: string): Buffer {
  const path = join(folder, 'key');
  try {
    writeFileSync(path, randomBytes(32), { flag: 'wx', mode: 0o600, flush: true });
  } catch {
    // An earlier server made it.
  }
  return readFileSync(path);
}

const mostFrameBytes = 8 * 1024 * 1024;
const mostUnknown = 256;
const greetingMs = 10_000;
