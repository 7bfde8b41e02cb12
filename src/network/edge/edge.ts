import { type Agent, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { isIP, type Socket } from 'node:net';
import {
  connect,
  createServer as createTlsServer,
  type SecureContext,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import type { Contacts } from '../proxy/contacts.ts';
import { createHttpServer } from '../proxy/http-server.ts';
import { dismiss, type Refusals, rawAnswer } from '../proxy/refusal.ts';
import type { Reached, Road } from '../proxy/road.ts';
import { nameOf, type Target } from '../proxy/rules.ts';
import { idleMs } from '../proxy/tunnel.ts';
import type { Authority } from './authority.ts';
import { keepConnections, type Line, type Open, passOn, type Scheme } from './exchange.ts';
import { createGate, type Gate } from './gate.ts';
import { type Incoming, incomingOverHttp1, incomingOverHttp2 } from './incoming.ts';
import type { Keys } from './keys/keys.ts';

export interface EdgeOptions {
  readonly road: Road;
  readonly refusals: Refusals;
  readonly contacts: Contacts;
  readonly patienceMs: number;
  readonly isInspected: (target: Target) => boolean;
  readonly authority: () => Authority;
  /** Verifies inspected hosts. */
  readonly trust: () => SecureContext;
  readonly keys?: Keys | undefined;
  /** Is a person asked about requests that do more than read? */
  readonly asks: boolean;
  readonly isSsh: (target: Target) => boolean;
}

/** The network's edge for one outlet: reads each request, and ends TLS where requests are looked into. */
export class Edge {
  /** Reads requests to a proxy, each with its own host. */
  readonly proxy: Server;
  readonly attend: Gate['attend'];
  readonly agrees: Gate['agrees'];
  readonly #options: EdgeOptions;
  readonly #gate: Gate;
  // They read what arrives at one host, and do not listen.
  readonly #inner: Server;
  readonly #inspecting: Server;
  readonly #lines = new WeakMap<object, Line>();
  /** Connections to inspected hosts, kept for the next request of any program. */
  readonly #kept: Readonly<Record<Scheme, Agent>>;
  /** Connections that no request has used yet. */
  readonly #unused = new Map<string, Socket>();
  readonly #tlsServers = new Map<string, TlsServer>();

  constructor(options: EdgeOptions) {
    const { contacts, patienceMs, refusals } = options;
    this.#options = options;
    this.#gate = createGate({
      note: (target, sent) => contacts.noteRequest(target, sent),
      keys: options.keys,
      asks: options.asks,
      isSsh: options.isSsh,
    });
    this.attend = this.#gate.attend;
    this.agrees = this.#gate.agrees;
    this.#kept = {
      http: keepConnections(this.#opener('http')),
      https: keepConnections(this.#opener('https')),
    };
    const handle = this.#handle.bind(this);
    this.proxy = createHttpServer(handle, patienceMs);
    this.#inner = createHttpServer(handle, patienceMs);
    this.#inspecting = createHttpServer(handle, patienceMs, true);
    this.#inspecting.on('upgrade', (message, stream, head) => this.#upgrade(message, stream as Socket, head));
    for (const server of [this.proxy, this.#inner, this.#inspecting]) {
      server.on('checkContinue', handle);
      // By default the connection is cut, which would lose the reply.
      const refusal = server === this.proxy ? refusals.noProxyRequest : refusals.unclear;
      server.on('clientError', (_error, stream) => dismiss(stream as Socket, rawAnswer(refusal)));
    }
  }

  /** Whether a connection to an inspected host is free, so that none has to show that the host answers. */
  hasFree(target: Target): boolean {
    return Object.values(this.#kept).some((agent) => agent.freeSockets[agent.getName(target)] !== undefined);
  }

  /** Takes over a connection to an inspected host, for its next request. */
  lend(target: Target, socket: Socket): void {
    const name = nameOf(target);
    this.#unused.get(name)?.destroy();
    this.#unused.set(name, socket);
    // Servers end connections on which nothing is said.
    socket.setTimeout(unusedMs, () => socket.destroy());
    socket.once('close', () => this.#unused.get(name) === socket && this.#unused.delete(name));
  }

  /** Takes over plain HTTP for a host. */
  plain(client: Socket, target: Target): void {
    const line = this.#lineTo(target, 'http', client);
    this.#lines.set(client, line);
    (line.kept ? this.#inspecting : this.#inner).emit('connection', client);
    // It was paused for the handover.
    client.resume();
  }

  /** Takes over TLS for an inspected host, and answers in its place. */
  secure(client: Socket, target: Target): void {
    this.#tlsServerFor(target).emit('connection', client);
  }

  /** Whether a connection may be opened to a host that is not looked into. */
  async opens(client: Socket, target: Target): Promise<boolean> {
    const left = new AbortController();
    client.once('close', () => left.abort());
    return this.#gate.opens(target, { signal: left.signal, port: client.remotePort });
  }

  async #open(target: Target): Promise<Reached> {
    const name = nameOf(target);
    const unused = this.#unused.get(name);
    this.#unused.delete(name);
    const reached: Reached =
      unused?.destroyed === false ? { kind: 'reached', socket: unused } : await this.#options.road(target);
    if (reached.kind === 'reached') reached.socket.setTimeout(idleMs, () => reached.socket.destroy());
    return reached;
  }

  #opener(scheme: Scheme): Open {
    return (target, protocol) =>
      scheme === 'https' ? this.#openSecured(target, protocol) : this.#open(target);
  }

  async #openSecured(target: Target, protocol: 'h2' | 'http/1.1' = 'http/1.1'): Promise<Reached> {
    const { trust, contacts, refusals } = this.#options;
    const reached = await this.#open(target);
    if (reached.kind === 'refused') return reached;
    const socket = await secureTo(reached.socket, target, { secureContext: trust(), protocol });
    if (socket) return { kind: 'reached', socket };
    contacts.missed(target, 'unverified');
    return { kind: 'refused', refusal: refusals.unverified(target) };
  }

  #lineTo(target: Target, scheme: Scheme, client: Socket): Line {
    const line = { tunnelled: target, scheme, port: client.remotePort, open: this.#opener(scheme) };
    if (!this.#options.isInspected(target)) return line;
    if (this.hasFree(target)) this.#options.contacts.reachedAgain(target);
    return { ...line, kept: this.#kept[scheme] };
  }

  #pass(incoming: Incoming, line: Line): void {
    const { refusals, isInspected } = this.#options;
    const gateFor = (target: Target) => (isInspected(target) ? this.#gate : undefined);
    passOn(incoming, line, { refusals, gateFor }).catch(() => incoming.abort());
  }

  #handle(message: IncomingMessage, response: ServerResponse): void {
    const { remotePort } = message.socket;
    const line = this.#lines.get(message.socket) ?? {
      scheme: 'http',
      port: remotePort,
      open: this.#opener('http'),
    };
    this.#pass(incomingOverHttp1(message, response), line);
  }

  /** An upgrade comes without a response, which a refusal needs. */
  #upgrade(message: IncomingMessage, socket: Socket, head: Buffer): void {
    if (head.length > 0) socket.unshift(head);
    const response = new ServerResponse(message);
    response.assignSocket(socket);
    this.#handle(message, response);
  }

  #overHttp2(client: TLSSocket, line: Line): void {
    const session = performServerHandshake(client, { settings: http2Settings, maxSessionInvalidFrames: 100 });
    session.on('error', () => {});
    session.setTimeout(idleMs, () => session.destroy());
    client.once('close', () => session.destroy());
    session.on('stream', (stream: ServerHttp2Stream, _headers, flags, rawHeaders: string[]) => {
      stream.on('error', () => {});
      this.#pass(incomingOverHttp2(stream, { rawHeaders, isWhole: (flags & endStream) !== 0 }), line);
    });
  }

  #tlsServerFor(target: Target): TlsServer {
    const { authority, patienceMs, contacts } = this.#options;
    const name = nameOf(target);
    const known = this.#tlsServers.get(name);
    if (known) return known;
    const server = createTlsServer({
      ...authority().credentialsFor(target.host),
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
      handshakeTimeout: patienceMs,
    });
    server.on('secureConnection', (client) => {
      client.on('error', () => {});
      const line = this.#lineTo(target, 'https', client);
      if (client.alpnProtocol === 'h2') return this.#overHttp2(client, line);
      this.#lines.set(client, line);
      this.#inspecting.emit('connection', client);
    });
    server.on('tlsClientError', (error: NodeJS.ErrnoException, client) => {
      if (distrust.test(error.code ?? '')) contacts.missed(target, 'untrusted');
      client.destroy();
    });
    if (this.#tlsServers.size >= maxTlsServers) this.#tlsServers.clear();
    this.#tlsServers.set(name, server);
    return server;
  }
}

const endStream = 1;
const maxTlsServers = 64;
const unusedMs = 2000;
const http2Settings = {
  enablePush: false,
  maxConcurrentStreams: 100,
  maxHeaderListSize: 16 * 1024,
  // Of a held upload, as much waits behind what was judged.
  initialWindowSize: 32 * 1024,
};
/** The alerts of a client that does not trust the certificate. */
const distrust = /ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)$/;

/** Undefined if the host could not prove who it is. */
function secureTo(
  socket: Socket,
  { host }: Target,
  { secureContext, protocol }: { readonly secureContext: SecureContext; readonly protocol: string },
): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    const options = {
      socket,
      secureContext,
      ALPNProtocols: [protocol],
      host,
      ...(isIP(host) === 0 && { servername: host }),
      // One record: what a client does not read stays with the host. Node's types leave this out.
      highWaterMark: 16 * 1024,
    };
    const secured = connect(options);
    socket.once('close', () => secured.destroy());
    secured.once('close', () => {
      socket.destroy();
      resolve(undefined);
    });
    secured.on('error', () => {});
    secured.once('secureConnect', () => resolve(secured));
  });
}
