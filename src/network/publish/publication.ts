import { once } from 'node:events';
import { createServer, isIPv6, type Server, Socket, type SocketConstructorOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { consoleHostStart } from '../../contract/people/console.ts';
import { type Listener, ownerOf } from './diagnosis.ts';
import type { Inside } from './serving-command.ts';

export interface PublicationOptions {
  readonly inside: Inside;
  /** The port that is tried first. */
  readonly port: number;
  /** Ports of the outside that are never taken. */
  readonly reserved: ReadonlySet<number>;
  /** The listener inside; undefined while it is gone, as when a server restarts. */
  readonly target: () => Listener | undefined;
}

/**
 * A port of this machine's loopback whose connections go on to a listener inside of a sandbox, byte by byte. Only
 * programs of the server's user and of root are let in: the kernel tells whose the other end is.
 */
export class Publication {
  readonly port: number;
  readonly #options: PublicationOptions;
  readonly #servers: readonly Server[];
  readonly #sockets = new Set<Socket>();

  private constructor(port: number, servers: readonly Server[], options: PublicationOptions) {
    this.port = port;
    this.#options = options;
    this.#servers = servers;
  }

  /** At the same port, else at one of those that follow, else at any. Rejects if there is none. */
  static async open(options: PublicationOptions): Promise<Publication> {
    const { port, reserved } = options;
    let opened: Publication | undefined;
    const accept = (client: Socket) => (opened ? opened.#accept(client) : client.destroy());
    const following = Array.from({ length: triedPorts }, (_, index) => port + index);
    for (const candidate of [...following.filter((each) => each < 65_536 && !reserved.has(each)), 0]) {
      const servers = await listenOn(candidate, accept);
      if (servers) {
        opened = new Publication(portOf(servers[0]), servers, options);
        return opened;
      }
    }
    throw new Error('no port of the loopback is free');
  }

  /** Ends all connections at once. */
  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    if (!this.#isOurs(client)) {
      client.resetAndDestroy();
      return;
    }
    this.#keep(client);
    this.#join(client).catch(() => client.resetAndDestroy());
  }

  #isOurs({ localAddress, localPort, remoteAddress, remotePort }: Socket): boolean {
    if (!localAddress || !localPort || !remoteAddress || !remotePort) return false;
    const local = { address: remoteAddress, port: remotePort };
    const owner = ownerOf(
      { local, remote: { address: localAddress, port: localPort } },
      this.#options.inside.outer,
    );
    return owner !== undefined && (owner === 0 || owner === process.geteuid?.());
  }

  async #join(client: Socket): Promise<void> {
    const inner = await this.#connect(client);
    this.#keep(inner);
    // A broken connection on one side must not wait on the other. An orderly end is passed on after the last byte.
    client.once('close', (isBroken) => isBroken && inner.resetAndDestroy());
    inner.once('close', (isBroken) => isBroken && client.resetAndDestroy());
    inner.on('end', () => client.end());
    client.on('drain', () => inner.resume());
    inner.resume();
    refuseConsole(client, inner);
    client.pipe(inner);
  }

  /** A server that restarts refuses connections for a moment, in which a browser reloads. */
  async #connect(client: Socket): Promise<Socket> {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      // Refused, or silent: it is tried again.
      const inner = await this.#tryOnce(client).catch(() => undefined);
      if (inner) return inner;
      if (client.destroyed || performance.now() > untilMs) throw new Error('nothing listens inside');
      await sleep(retryMs);
    }
  }

  async #tryOnce(client: Socket): Promise<Socket | undefined> {
    const target = this.#options.target();
    if (!target) return undefined;
    const fd = await this.#options.inside.draw(isIPv6(target.address) ? 6 : 4);
    const inner = new Socket(unconnected(fd, client));
    inner.on('error', () => {});
    inner.connect({ host: target.address, port: target.port });
    try {
      // A full queue inside stays silent.
      await once(inner, 'connect', { signal: AbortSignal.timeout(patienceMs) });
      return inner;
    } catch (error) {
      inner.destroy();
      throw error;
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

const triedPorts = 20;
const patienceMs = 2000;
const retryMs = 100;
const connectionsAtOnce = 512;
const readBytes = 131_072;

/**
 * Node connects a descriptor that it is given. It must not read before that, as it does from accepted ones. What it
 * reads goes on at once from the same large buffer, as large answers take half as long by it as by a pipe.
 */
function unconnected(fd: number, client: Socket): SocketConstructorOpts {
  let buffer = Buffer.allocUnsafeSlow(readBytes);
  const callback = (bytes: number) => {
    client.write(buffer.subarray(0, bytes));
    // The kernel has not taken it all yet.
    if (client.writableLength > 0) buffer = Buffer.allocUnsafeSlow(readBytes);
    return !client.writableNeedDrain;
  };
  const onread = { buffer: () => buffer, callback };
  const options = { fd, allowHalfOpen: true, noDelay: true, pauseOnCreate: true, onread };
  return options;
}

/** Listens on both addresses that `localhost` stands for; undefined if one of them is taken. Without IPv6 on one. */
async function listenOn(port: number, accept: Accept): Promise<readonly [Server, ...Server[]] | undefined> {
  const first = await listen('127.0.0.1', port, accept);
  if (typeof first === 'string') return undefined;
  const second = await listen('::1', portOf(first), accept);
  if (typeof second !== 'string') return [first, second];
  if (second === 'EADDRNOTAVAIL' || second === 'EAFNOSUPPORT') return [first];
  first.close();
  return undefined;
}

type Accept = (client: Socket) => void;

/** The server, or the error's code. */
async function listen(host: string, port: number, accept: Accept): Promise<Server | string> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, accept);
  server.maxConnections = connectionsAtOnce;
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    // Its command keeps the server going, or its session.
    return server.unref();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return address.port;
}

/**
 * Ends a connection on which a browser asks for the host of a console, or a TLS client greets it: browsers send the
 * cookies of a name to every port of it. They write the name before the cookies, so none has gone on by then, even if the
 * name came in two pieces.
 */
function refuseConsole(client: Socket, inner: Socket): void {
  let last: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let named: string | undefined;
  client.on('data', (chunk: Buffer) => {
    // The greeting of TLS has the name alone.
    named ??= `${chunk[0] === handshake ? '' : 'Host: '}${consoleHostStart}`;
    const words = Buffer.concat([last, chunk]);
    // Browsers write it so; at the start, where it costs little, other spellings are refused, too.
    const isNamed =
      bytes < headBytes
        ? words.toString('latin1').toLowerCase().includes(named.toLowerCase())
        : words.includes(named);
    if (isNamed) {
      // First, as the pipe is about to write this chunk.
      inner.resetAndDestroy();
      client.resetAndDestroy();
    }
    bytes += chunk.length;
    last = Buffer.from(words.subarray(1 - named.length));
  });
}

const handshake = 0x16;
const headBytes = 65_536;
