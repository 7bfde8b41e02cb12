import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPeers, type Peers } from '../../checkpoint/index.ts';
import { ConfigError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { listen } from '../hook/server.ts';
import { noteOf } from '../hook/socket.ts';
import { collectEverything, keepMemorySteady } from '../serving/steady-memory.ts';
import { untilTold } from '../serving/stop.ts';
import { SharedCheckpoints } from './checkpoints.ts';
import { type JoinedProgram, joinedProgramOf } from './joined-program.ts';
import { hasNotes } from './notes.ts';
import { prepareProgram } from './program-file.ts';
import { ServedAlone, Session } from './session.ts';
import type { Asked } from './sessions.ts';
import { signOfLifeMs } from './small-program.ts';
import {
  isOfUser,
  isSameWorld,
  ofProcess,
  residentNameOf,
  residentSocketOf,
  thisProcess,
} from './standing.ts';

/** How long a checkpoint stays open without sessions, and the server without checkpoints. */
const checkpointIdleMs = 5 * 60_000;
const residentIdleMs = 60_000;

/** The server that a user's clients share, until it has been idle for a while. A failed start removes the note. */
export async function serveResident(socket: string): Promise<number> {
  let end: () => Promise<void>;
  try {
    end = await openAt(socket);
  } catch (error) {
    rmSync(noteOf(socket), { force: true });
    throw error;
  }
  await end();
  return 0;
}

/** Listens, and returns what serves until the end. */
async function openAt(socket: string): Promise<() => Promise<void>> {
  const name = basename(socket, '.sock');
  const own = residentNameOf(thisProcess());
  if (own === undefined || !isSameWorld(own, name))
    throw new Error('the socket is for other rights than ours');
  // After an update, the programs of the earlier build find the server of this one.
  const present = residentSocketOf(own, process.env);
  if (own !== name && present !== undefined) await prepareProgram({ ...thisProcess(), socket: present });
  process.title = 'sekisho resident';
  process.chdir('/');
  // The first client's own variables are not the others'.
  const common = { ...ofProcess(process.env), PATH: process.env.PATH };
  for (const variable of Object.keys(process.env)) if (!(variable in common)) delete process.env[variable];
  keepMemorySteady(youngBytes);
  const resident = new Resident(name, await openPeers());
  // Paused: a connection is told apart by its process before anything of it is read.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (connection) =>
    resident.receive(connection),
  );
  const forget = await listen(server, socket);
  return async () => {
    const told = untilTold();
    await Promise.race([told.signal, resident.idle()]);
    told.forget();
    forget();
    server.close();
    await resident.close();
  };
}

class Resident {
  readonly #name: string;
  readonly #peers: Peers;
  readonly #checkpoints = new SharedCheckpoints(checkpointIdleMs);
  readonly #sessions = new Map<number, Session>();
  readonly #connections = new Set<Socket>();
  readonly #asked = Promise.withResolvers<void>();
  readonly #signsOfLife = setInterval(() => {
    for (const session of this.#sessions.values()) session.live();
  }, signOfLifeMs);
  #usedAtMs = performance.now();
  #ended = 0;

  constructor(name: string, peers: Peers) {
    this.#name = name;
    this.#peers = peers;
  }

  receive(socket: Socket): void {
    this.#usedAtMs = performance.now();
    this.#connections.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#connections.delete(socket));
    try {
      const pid = this.#peers.processOf(descriptorOf(socket)) ?? 0;
      const program = joinedProgramOf(pid);
      const session = this.#sessions.get(pid);
      if (!program) this.#answer(socket, pid);
      else if (session) {
        // A small program connects again when it is told to end.
        session.stop();
        socket.destroy();
      } else void this.#serve(socket, program);
    } catch {
      // The process is gone, or not ours to look at.
      socket.destroy();
    }
  }

  async #serve(socket: Socket, program: JoinedProgram): Promise<void> {
    const session = new Session(socket, program);
    this.#sessions.set(program.pid, session);
    try {
      // A client in a sandbox must not leave it by way of us, and an older build goes on only with what it has begun.
      const name = residentNameOf(program);
      if (name === undefined || !isSameWorld(name, this.#name)) session.sendElsewhere();
      else if (name !== this.#name && !hasNotes(program.pid)) session.sendElsewhere();
      else await session.serve({ checkpoints: this.#checkpoints, peers: this.#peers, others: this.#ids() });
    } catch (error) {
      // A process of its own reports mistakes in the settings.
      const isKnown = error instanceof ServedAlone || error instanceof ConfigError;
      session.decline(isKnown ? '' : String(error));
    } finally {
      this.#sessions.delete(program.pid);
      this.#ended += 1;
      if (this.#ended % sessionsBetweenCollections === 0) void collectEverything();
      this.#usedAtMs = performance.now();
    }
  }

  #ids(): ReadonlySet<string> {
    return new Set([...this.#sessions.values()].map(({ view }) => view.id));
  }

  /** A person asks: to see the sessions, or to end them. */
  #answer(socket: Socket, pid: number): void {
    if (!isOfUser(pid)) throw new Error('another user');
    const deadline = setTimeout(() => socket.destroy(), askMs);
    socket.once('close', () => clearTimeout(deadline));
    socket.once('data', (line: Buffer) => {
      const asked = JSON.parse(line.toString('utf8')) as Asked;
      if (asked.kind === 'stop') this.#stop(asked.session);
      const report = {
        pid: process.pid,
        bytes: process.memoryUsage.rss(),
        checkpoints: this.#checkpoints.size,
        sessions: [...this.#sessions.values()].flatMap(({ view }) => (view.id === '' ? [] : [view])),
      };
      socket.end(JSON.stringify(report));
    });
    socket.resume();
  }

  #stop(id: string | undefined): void {
    for (const session of this.#sessions.values()) {
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
    for (const session of this.#sessions.values()) session.stop();
    const endMs = performance.now() + limits.stopGraceMs;
    while (this.#sessions.size > 0 && performance.now() < endMs) await sleep(10);
    clearInterval(this.#signsOfLife);
    await this.#checkpoints.close(limits.stopGraceMs);
    for (const connection of this.#connections) connection.destroy();
  }
}

/** Node has no public name for it. */
function descriptorOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

const askMs = 10_000;
/** A session leaves little behind; several at once would double the space for it again and again. */
const youngBytes = 4 * 1024 * 1024;
/** V8 would keep what earlier sessions left, up to a share of the machine's memory. */
const sessionsBetweenCollections = 50;
