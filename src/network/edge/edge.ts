import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
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
import type { Target } from '../proxy/rules.ts';
import { idleMs, type TunnelEnds } from '../proxy/tunnel.ts';
import type { Authority } from './authority.ts';
import { keepConnections, type Line, passOn, type Scheme } from './exchange.ts';
import { createGate, type Gate } from './gate.ts';
import { incomingOverHttp1, incomingOverHttp2 } from './incoming.ts';

/** The network's edge for one outlet: reads each request, and ends TLS where requests are looked into. */
export interface Edge extends TunnelEnds {
  /** Reads requests to a proxy, each with its own host. */
  readonly proxy: Server;
  readonly attend: Gate['attend'];
}

export interface EdgeOptions {
  readonly road: Road;
  readonly refusals: Refusals;
  readonly contacts: Contacts;
  readonly patienceMs: number;
  readonly isInspected: (target: Target) => boolean;
  readonly authority: () => Authority;
  /** Verifies inspected hosts. */
  readonly trust: () => SecureContext;
}

export function createEdge(options: EdgeOptions): Edge {
  const { road, refusals, contacts, patienceMs, isInspected } = options;
  const gate = createGate({ note: (target, sent) => contacts.noteRequest(target, sent) });
  const gateFor = (target: Target) => (isInspected(target) ? gate : undefined);
  const lines = new WeakMap<object, Line>();
  const tlsServers = new Map<string, TlsServer>();

  async function open(target: Target): Promise<Reached> {
    const reached = await road(target);
    if (reached.kind === 'reached') reached.socket.setTimeout(idleMs, () => reached.socket.destroy());
    return reached;
  }

  async function openSecured(target: Target, protocol: 'h2' | 'http/1.1' = 'http/1.1'): Promise<Reached> {
    const reached = await open(target);
    if (reached.kind === 'refused') return reached;
    const socket = await secureTo(reached.socket, target, { secureContext: options.trust(), protocol });
    if (socket) return { kind: 'reached', socket };
    contacts.missed(target, 'unverified');
    return { kind: 'refused', refusal: refusals.unverified(target) };
  }

  function lineTo(target: Target, scheme: Scheme, client: Socket): Line {
    const port = client.remotePort;
    const line = { tunnelled: target, scheme, port, open: scheme === 'https' ? openSecured : open };
    if (!isInspected(target)) return line;
    const kept = keepConnections(target, line.open);
    client.once('close', () => kept.destroy());
    return { ...line, kept };
  }

  const pass = (incoming: Parameters<typeof passOn>[0], line: Line) =>
    passOn(incoming, line, { refusals, gateFor }).catch(() => incoming.abort());

  const handle = (message: IncomingMessage, response: ServerResponse) =>
    void pass(
      incomingOverHttp1(message, response),
      lines.get(message.socket) ?? { scheme: 'http', port: message.socket.remotePort, open },
    );

  /** An upgrade comes without a response, which a refusal needs. */
  const upgrade = (message: IncomingMessage, socket: Socket, head: Buffer) => {
    if (head.length > 0) socket.unshift(head);
    const response = new ServerResponse(message);
    response.assignSocket(socket);
    handle(message, response);
  };

  const proxy = createHttpServer(handle, patienceMs);
  // They read what arrives in a tunnel, and do not listen.
  const inner = createHttpServer(handle, patienceMs);
  const inspecting = createHttpServer(handle, patienceMs, true);
  inspecting.on('upgrade', (message, stream, head) => upgrade(message, stream as Socket, head));
  for (const server of [proxy, inner, inspecting]) {
    server.on('checkContinue', handle);
    // By default the connection is cut, which would lose the reply.
    server.on('clientError', (_error, stream) => dismiss(stream as Socket, rawAnswer(refusals.unreadable)));
  }

  function overHttp2(client: TLSSocket, line: Line): void {
    const session = performServerHandshake(client, { settings: http2Settings, maxSessionInvalidFrames: 100 });
    session.on('error', () => {});
    session.setTimeout(idleMs, () => session.destroy());
    client.once('close', () => session.destroy());
    session.on('stream', (stream: ServerHttp2Stream, _headers, flags, rawHeaders: string[]) => {
      stream.on('error', () => {});
      void pass(incomingOverHttp2(stream, { rawHeaders, isWhole: (flags & endStream) !== 0 }), line);
    });
  }

  function tlsServerFor(target: Target): TlsServer {
    const { host, port } = target;
    const known = tlsServers.get(`${host} ${port}`);
    if (known) return known;
    const server = createTlsServer({
      ...options.authority().credentialsFor(host),
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
      handshakeTimeout: patienceMs,
    });
    server.on('secureConnection', (client) => {
      client.on('error', () => {});
      const line = lineTo(target, 'https', client);
      if (client.alpnProtocol === 'h2') return overHttp2(client, line);
      lines.set(client, line);
      inspecting.emit('connection', client);
    });
    server.on('tlsClientError', (error: NodeJS.ErrnoException, client) => {
      if (distrust.test(error.code ?? '')) contacts.missed(target, 'untrusted');
      client.destroy();
    });
    if (tlsServers.size >= maxTlsServers) tlsServers.clear();
    tlsServers.set(`${host} ${port}`, server);
    return server;
  }

  return {
    proxy,
    isInspected,
    attend: gate.attend,
    plain(client, target) {
      const line = lineTo(target, 'http', client);
      lines.set(client, line);
      (line.kept ? inspecting : inner).emit('connection', client);
      // It was paused for the handover.
      client.resume();
    },
    secure: (client, target) => void tlsServerFor(target).emit('connection', client),
  };
}

const endStream = 1;
const maxTlsServers = 64;
const http2Settings = { enablePush: false, maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024 };
/** The alerts of a client that does not trust the certificate. */
const distrust = /ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)$/;

/** Undefined if the host could not prove who it is. */
function secureTo(
  socket: Socket,
  { host }: Target,
  { secureContext, protocol }: { readonly secureContext: SecureContext; readonly protocol: string },
): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    const secured = connect({
      socket,
      secureContext,
      ALPNProtocols: [protocol],
      host,
      ...(isIP(host) === 0 && { servername: host }),
    });
    socket.once('close', () => secured.destroy());
    secured.once('close', () => {
      socket.destroy();
      resolve(undefined);
    });
    secured.on('error', () => {});
    secured.once('secureConnect', () => resolve(secured));
  });
}
