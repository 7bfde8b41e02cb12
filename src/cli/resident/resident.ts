import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPeers, type Peers } from '../../checkpoint/index.ts';
import { ConfigError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import type { SharedServer } from '../../contract/shared-server.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { connectTo, tryConnect } from '../hook/client.ts';
import type { HookProjects } from '../hook/projects.ts';
import { hooksSocketOf, maxEventBytes, noteOf, permitFor } from '../hook/socket.ts';
import { collectEverything, keepMemorySteady } from '../serving/steady-memory.ts';
import { untilTold } from '../serving/stop.ts';
import { SharedCheckpoints } from './checkpoints.ts';
import { environmentOf, type JoinedProgram, joinedProgramOf } from './joined-program.ts';
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

/** The sockets that a start is for: that of clients with the same rights, or that of all hooks of this user. */
interface Wanted {
  readonly socket?: string | undefined;
  readonly hooks?: string | undefined;
}

/** The server that a user's clients share, until it has been idle for a while. A failed start removes the notes. */
export async function serveResident({ socket, hooks }: Wanted): Promise<number> {
  const name = residentNameOf(thisProcess());
  const own = name === undefined ? undefined : residentSocketOf(name, process.env);
  let end: (() => Promise<void>) | undefined;
  try {
    if (socket !== undefined) end = await openAt(socket, await openPeers());
    // Without knowledge of its peers, a server decides only for hooks.
    else if (own === undefined || !(await isServed(own)))
      end = await openAt(own, await openPeers().catch(() => undefined));
  } catch (error) {
    process.stderr.write(`sekisho: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  if (!end) for (const each of [socket, hooks]) if (each) rmSync(noteOf(each), { force: true });
  await end?.();
  return end ? 0 : systemFailed;
}

/** Whether a server with our rights runs or starts; it takes the hooks, too. */
async function isServed(socket: string): Promise<boolean> {
  const connection = await connectTo(socket).catch(() => undefined);
  if (!connection) return false;
  connection.write(`${JSON.stringify({ kind: 'hooks' } satisfies Asked)}\n`);
  for await (const _ of connection) {
    // Its answer comes when it listens.
  }
  return true;
}

/** Listens, and returns what serves until the end; undefined if another server already does. */
async function openAt(
  wanted: string | undefined,
  peers: Peers | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const socket = peers && wanted;
  const own = residentNameOf(thisProcess());
  const name = socket === undefined ? undefined : basename(socket, '.sock');
  if (name !== undefined && (own === undefined || !isSameWorld(own, name)))
    throw new Error('the socket is for other rights than ours');
  const there = socket === undefined ? undefined : await tryConnect(socket);
  there?.destroy();
  if (there) return undefined;
  process.title = 'sekisho resident';
  process.chdir('/');
  // The first client's own variables are not the others'.
  const common = { ...ofProcess(process.env), PATH: process.env.PATH };
  for (const variable of Object.keys(process.env)) if (!(variable in common)) delete process.env[variable];
  keepMemorySteady(youngBytes);
  const resident = new Resident(socket, peers);
  if (socket !== undefined) await resident.listen(socket);
  await resident.takeHooks();
  // After an update, the programs of the earlier build find the server of this one.
  const present = own === undefined ? undefined : residentSocketOf(own, process.env);
  if (name !== undefined && own !== name && present !== undefined)
    await prepareProgram({ ...thisProcess(), socket: present });
  return async () => {
    const told = untilTold();
    await Promise.race([told.signal, resident.idle()]);
    told.forget();
    await resident.close();
  };
}

class Resident {
  /** Undefined if it serves only hooks. */
  readonly #socket: string | undefined;
  readonly #peers: Peers | undefined;
  readonly #hooksSocket = hooksSocketOf(thisProcess().script);
  readonly #builtAt = builtAt();
  readonly #listening = new Map<string, () => void>();
  /** Loaded with the first hook, so that a first session does not wait for it. */
  #hooks: HookProjects | undefined;
  readonly #checkpoints = new SharedCheckpoints(checkpointIdleMs);
  readonly #sessions = new Map<number, Session>();
  readonly #connections = new Set<Socket>();
  readonly #asked = Promise.withResolvers<void>();
  readonly #signsOfLife = setInterval(() => {
    for (const session of this.#sessions.values()) session.live();
    if (process.memoryUsage.rss() > this.#steadyBytes * grown) void this.#collect();
  }, signOfLifeMs);
  /** The memory after the last collection. */
  #steadyBytes = usualBytes;
  #usedAtMs = performance.now();
  /** The sessions that have ended since the last collection. */
  #ended = 0;

  constructor(socket: string | undefined, peers: Peers | undefined) {
    this.#socket = socket;
    this.#peers = peers;
  }

  async listen(path: string): Promise<void> {
    // Paused: a connection is told apart by its process before anything of it is read.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (connection) =>
      this.receive(connection),
    );
    this.#listening.set(path, await listenAt(server, path));
  }

  /** Serves the hooks of this user, unless another server does. */
  async takeHooks(): Promise<void> {
    const there = await tryConnect(this.#hooksSocket);
    there?.destroy();
    if (there) rmSync(noteOf(this.#hooksSocket), { force: true });
    else await this.listen(this.#hooksSocket);
  }

  receive(socket: Socket): void {
    this.#usedAtMs = performance.now();
    this.#connections.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#connections.delete(socket));
    try {
      const pid = this.#peers?.processOf(descriptorOf(socket)) ?? 0;
      const program = joinedProgramOf(pid);
      const session = this.#sessions.get(pid);
      if (!program) this.#hear(socket, pid);
      else if (session) {
        // A small program connects again when it is told to end.
        session.stop();
        socket.destroy();
      } else if (this.#peers) void this.#serve(socket, program, this.#peers);
    } catch {
      // The process is gone, or not ours to look at.
      socket.destroy();
    }
  }

  async #serve(socket: Socket, program: JoinedProgram, peers: Peers): Promise<void> {
    const own = basename(this.#socket ?? '', '.sock');
    const session = new Session(socket, program);
    this.#sessions.set(program.pid, session);
    try {
      // A client in a sandbox must not leave it by way of us, and an older build goes on only with what it has begun.
      const name = residentNameOf(program);
      if (name === undefined || !isSameWorld(name, own)) session.sendElsewhere();
      else if (name !== own && !hasNotes(program.pid)) session.sendElsewhere();
      else await session.serve({ checkpoints: this.#checkpoints, peers, others: this.#ids() });
    } catch (error) {
      // A process of its own reports mistakes in the settings.
      const isKnown = error instanceof ServedAlone || error instanceof ConfigError;
      session.decline(isKnown ? '' : String(error));
    } finally {
      this.#sessions.delete(program.pid);
      this.#ended += 1;
      if (this.#ended >= sessionsBetweenCollections) void this.#collect();
      this.#usedAtMs = performance.now();
    }
  }

  async #collect(): Promise<void> {
    this.#ended = 0;
    await collectEverything();
    this.#steadyBytes = process.memoryUsage.rss();
  }

  #ids(): ReadonlySet<string> {
    return new Set([...this.#sessions.values()].map(({ view }) => view.id));
  }

  /** Hears an event of a hook, which ends with its half of the connection, or a line of JSON. */
  #hear(socket: Socket, pid: number): void {
    const gone = new AbortController();
    const deadline = setTimeout(() => socket.destroy(), askMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isHeard = false;
    const answer = (decide: () => Promise<string | Buffer>) => {
      isHeard = true;
      clearTimeout(deadline);
      decide().then(
        (words) => socket.end(words),
        () => socket.destroy(),
      );
    };
    const words = () => Buffer.concat(chunks).toString('utf8');
    socket.once('close', () => {
      clearTimeout(deadline);
      gone.abort();
    });
    socket.on('data', (chunk: Buffer) => {
      if (isHeard) return;
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxEventBytes) socket.destroy();
      else if (chunks[0]?.[0] === brace && chunk.includes(newline))
        answer(async () =>
          JSON.stringify(await this.#answer(JSON.parse(words()) as Asked, pid, gone.signal)),
        );
    });
    socket.once('end', () => {
      // The sender of a line waits for the answer, or has gone.
      if (isHeard) gone.abort();
      else answer(() => this.#decide(words(), pid));
    });
    socket.resume();
  }

  async #openHooks(): Promise<HookProjects> {
    const { HookProjects } = await import('../hook/projects.ts');
    const { node, script } = thisProcess();
    // By its whole path: a client's shell may have another PATH.
    this.#hooks ??= new HookProjects(this.#checkpoints, (permit, command) =>
      [node, script, 'run', '--permit', permitFor(this.#socket ?? this.#hooksSocket, permit), '--', command]
        .map(shellQuote)
        .join(' '),
    );
    return this.#hooks;
  }

  /** An event without an answer is repeated through Node; it permits nothing. */
  async #decide(words: string, pid: number): Promise<Buffer> {
    if (builtAt() !== this.#builtAt) {
      // The server of the new build takes the hooks.
      this.#listening.get(this.#hooksSocket)?.();
      throw new Error('an earlier build');
    }
    return (await this.#openHooks()).answer(words, variablesOf(pid));
  }

  /** A permitted command runs, or a person asks: to see the sessions, or to end them. */
  async #answer(asked: Asked, pid: number, signal: AbortSignal): Promise<unknown> {
    if (asked.kind === 'run') return (await this.#openHooks()).run(asked, variablesOf(pid), signal);
    if (!isOfUser(pid)) throw new Error('another user');
    if (asked.kind === 'hooks') await this.takeHooks();
    if (asked.kind === 'stop') this.#stop(asked.session);
    return {
      pid: process.pid,
      bytes: process.memoryUsage.rss(),
      checkpoints: this.#checkpoints.size,
      conversations: this.#hooks?.conversations ?? 0,
      sessions: [...this.#sessions.values()].flatMap(({ view }) => (view.id === '' ? [] : [view])),
      published: await this.#checkpoints.published(),
      servers: asked.kind === 'list' ? await this.#checkpoints.servers() : [],
    } satisfies SharedServer;
  }

  #stop(id: string | undefined): void {
    for (const session of this.#sessions.values()) {
      if (id === undefined || session.view.id.startsWith(id)) session.stop();
    }
    if (id === undefined) this.#asked.resolve();
  }

  async idle(): Promise<void> {
    const timer = setInterval(() => {
      void this.#hooks?.closeIdle();
      if (this.#sessions.size > 0) return;
      if (this.#ended > 0) void this.#collect();
      const isIdle = this.#checkpoints.size === 0 && performance.now() - this.#usedAtMs > residentIdleMs;
      // A server whose socket was taken away is found by nobody.
      if (isIdle || !existsSync(this.#socket ?? this.#hooksSocket)) this.#asked.resolve();
    }, 10_000);
    await this.#asked.promise;
    clearInterval(timer);
  }

  /** The sessions are told to end, so that no small program starts another server. */
  async close(): Promise<void> {
    for (const end of this.#listening.values()) end();
    for (const session of this.#sessions.values()) session.stop();
    const endMs = performance.now() + limits.stopGraceMs;
    while (this.#sessions.size > 0 && performance.now() < endMs) await sleep(10);
    clearInterval(this.#signsOfLife);
    await this.#checkpoints.close(limits.stopGraceMs);
    for (const connection of this.#connections) connection.destroy();
  }
}

/** Replaces an existing socket atomically: one that a killed server left does not answer. */
async function listenAt(server: Server, path: string): Promise<() => void> {
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(own, resolve);
  });
  chmodSync(own, 0o600);
  const { ino } = statSync(own);
  renameSync(own, path);
  rmSync(noteOf(path), { force: true });
  return () => {
    server.close();
    if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
}

/** A hook's own variables; ours if it cannot be looked at, as in a sandbox. */
function variablesOf(pid: number): NodeJS.ProcessEnv {
  try {
    return environmentOf(pid);
  } catch {
    return process.env;
  }
}

function builtAt(): number | undefined {
  return statSync(thisProcess().script, { throwIfNoEntry: false })?.mtimeMs;
}

/** Node has no public name for it. */
function descriptorOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

const askMs = 10_000;
const systemFailed = 3;
const brace = 0x7b;
const newline = 10;
/** A session leaves little behind; several at once would double the space for it again and again. */
const youngBytes = 4 * 1024 * 1024;
/** V8 would keep what earlier sessions left, up to a share of the machine's memory. */
const sessionsBetweenCollections = 50;
/** Before the first collection. */
const usualBytes = 128 * 1024 * 1024;
/** A message of 60 MB takes several times as much, which V8 would keep, too. */
const grown = 1.5;
