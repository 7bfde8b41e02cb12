import { once } from 'node:events';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkContact } from '../../contract/capabilities/process.ts';
import type { CommitSigner, SshAccess } from '../../contract/capabilities/signing.ts';
import type { Text } from '../../contract/text/text.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { Edge, type EdgeOptions } from '../edge/edge.ts';
import { type Asker, signing } from '../edge/gate.ts';
import { SshAgent } from '../ssh/agent.ts';
import { serveCommits } from '../ssh/commits.ts';
import { createContacts } from './contacts.ts';
import type { Listening } from './listening.ts';
import { dismiss, rawAnswer } from './refusal.ts';
import { createRoad, type Road } from './road.ts';
import { type ProxyRules, parseAuthority, type Target } from './rules.ts';
import { idleMs, isFor, join, readGreeting } from './tunnel.ts';

export interface OutletOptions extends Omit<EdgeOptions, 'road' | 'contacts' | 'isSsh'> {
  readonly rules: ProxyRules;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly listening: readonly Listening[];
  /** The hosts by their addresses in the sandbox. */
  readonly hosts: ReadonlyMap<string, string>;
  readonly ssh?: SshAccess | undefined;
  readonly signer?: CommitSigner | undefined;
  /** Of all outlets together. */
  readonly connections: { open: number; readonly most: number };
}

/** The way out for one command, or for those of a session. */
export type Outlet = Pick<ProxyOutlet, 'adopt' | 'contacts' | 'attend' | 'close'>;

/** All of its connections end with it. */
export class ProxyOutlet {
  readonly #options: OutletOptions;
  readonly #contacts = createContacts();
  readonly #ending = new AbortController();
  readonly #road: Road;
  readonly #edge: Edge;
  readonly #agent: SshAgent;
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();

  constructor(options: OutletOptions) {
    this.#options = options;
    const contacts = this.#contacts;
    const road = createRoad({ ...options, contacts, signal: this.#ending.signal });
    this.#road = async (target) => {
      const reached = await road(target);
      if (reached.kind === 'reached') this.#keep(reached.socket);
      return reached;
    };
    this.#agent = new SshAgent({
      access: options.ssh ?? { hosts: [], agent: undefined, keys: [] },
      opens: (client, host) => this.#edge.opens(client, host),
      refused: this.#refuseToSign,
    });
    const isSsh = (target: Target) => this.#agent.isFor(target);
    this.#edge = new Edge({ ...options, contacts, road: this.#road, isSsh });
    this.#edge.proxy.on('connect', (request, stream, head) => {
      // The type says Duplex, but this server accepted a socket.
      const client = stream as Socket;
      client.on('error', () => {});
      client.setTimeout(idleMs, () => client.destroy());
      if (head.length > 0) client.unshift(head);
      this.#connect(client, request.url ?? '').catch(() => client.destroy());
    });
  }

  /** Takes over listening sockets, in the order of those that the proxy names. */
  adopt(listeners: readonly number[]): void {
    for (const [index, { serves, port }] of this.#options.listening.entries()) {
      const fd = listeners[index];
      if (fd === undefined) break;
      this.#listen(serves === 'proxy' ? this.#edge.proxy : this.#serverFor(serves, port), fd);
    }
    if (this.#ending.signal.aborted) for (const server of this.#servers) server.close();
  }

  contacts(): readonly NetworkContact[] {
    return this.#contacts.list();
  }

  /** A held request is asked about through the command that sent it. Returns the function that takes it back. */
  attend(asker: Asker): () => void {
    return this.#edge.attend(asker);
  }

  /** Ends all connections at once. */
  close(): void {
    this.#ending.abort();
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#ending.signal.aborted) socket.destroy();
  }

  #listen(server: Server, fd: number): void {
    const { connections } = this.#options;
    server.maxConnections = maxConnections;
    server.on('connection', (client) => {
      connections.open++;
      client.once('close', () => connections.open--);
      this.#keep(client);
      if (connections.open > connections.most) client.destroy();
    });
    server.on('error', () => server.close());
    this.#servers.add(server);
    server.listen({ fd });
  }

  #serverFor(serves: 'named' | 'signing' | Target, port = 0): Server {
    const serve = async (client: Socket) => {
      if (serves === 'signing') return this.#sign(client);
      if (serves !== 'named')
        return this.#agent.isFor(serves) ? this.#serve(client, serves) : this.#pass(client, serves);
      const host = this.#options.hosts.get(client.localAddress ?? '');
      if (host === undefined) return void client.destroy();
      client.setTimeout(idleMs, () => client.destroy());
      return this.#serve(client, { host, port });
    };
    return createTcpServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      serve(client).catch(() => client.destroy());
    });
  }

  async #connect(client: Socket, authority: string): Promise<void> {
    const { refusals } = this.#options;
    const target = parseAuthority(authority);
    if (!target) return dismiss(client, rawAnswer(refusals.noProxyRequest));
    const hasFree = this.#edge.hasFree(target);
    const reached = hasFree ? undefined : await this.#road(target);
    if (reached?.kind === 'refused') return dismiss(client, rawAnswer(reached.refusal));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    await this.#serve(client, target, reached?.socket);
  }

  /** Serves a connection to a host: HTTP and TLS, or any protocol at a listed port. `upstream`: connected to it. */
  async #serve(client: Socket, target: Target, upstream?: Socket): Promise<void> {
    const { rules, isInspected, patienceMs } = this.#options;
    const isService = rules.isService(target) || this.#agent.isFor(target);
    const heard = new AbortController();
    const hostSpeaks = isService ? this.#hostSpeaks(target, heard.signal) : undefined;
    const opening = await readGreeting(client, patienceMs, hostSpeaks);
    heard.abort();
    if (opening.kind === 'tls' && isFor(opening, target) && !isInspected(target))
      return this.#pass(client, target, upstream);
    const isOurs = opening.kind === 'plain' || (opening.kind === 'tls' && isFor(opening, target));
    if (isOurs && upstream) this.#edge.lend(target, upstream);
    else upstream?.destroy();
    if (isOurs) return this.#edge[opening.kind === 'tls' ? 'secure' : 'plain'](client, target);
    if (opening.kind === 'tls') {
      this.#contacts.missed(target, 'misnamed');
    } else if (isService && opening.kind === 'broken') {
      return (await this.#edge.opens(client, target)) ? this.#pass(client, target) : dismiss(client, '');
    }
    // The alert "unrecognized_name", which clients report in their own words.
    dismiss(client, Buffer.from([21, 3, 3, 0, 2, 2, 112]));
  }

  /** Resolves if a host says something to a client that has been silent for a while. */
  async #hostSpeaks(target: Target, heard: AbortSignal): Promise<void> {
    await sleep(silentMs, undefined, { signal: heard });
    const reached = await this.#road(target);
    if (reached.kind === 'refused') throw new Error(reached.refusal.reason);
    const { socket } = reached;
    using _ = defer(() => socket.destroy());
    await once(socket, 'readable', { signal: heard });
    if (socket.readableLength === 0) throw new Error('it said nothing');
  }

  /** In any protocol, without looking into it. */
  async #pass(client: Socket, target: Target, upstream?: Socket): Promise<void> {
    let socket = upstream;
    if (!socket) {
      const reached = await this.#road(target);
      if (reached.kind === 'refused') return void client.destroy();
      socket = reached.socket;
    }
    this.#contacts.unread(target);
    this.#agent.follow(target, socket);
    await join(client, socket);
  }

  /** A client of the ssh agent, or the program by which git signs: the first begins with the length of a message. */
  async #sign(client: Socket): Promise<void> {
    const { signer } = this.#options;
    await once(client, 'readable');
    const first: Buffer | null = client.read();
    if (first === null) return void client.destroy();
    client.unshift(first);
    if (first[0] === 0) return this.#agent.serve(client);
    if (!signer) return void client.destroy();
    await serveCommits(client, {
      signer,
      refused: this.#refuseToSign,
      ask: (held, signal) => this.#edge.agrees(held, { signal, port: undefined }),
    });
  }

  readonly #refuseToSign = (because: Text): void =>
    this.#contacts.noteRequest(signing, { kind: 'rights', method: 'SIGN', path: '', because: because.en });
}

const maxConnections = 128;
/** Programs that speak first do so at once. */
const silentMs = 500;
