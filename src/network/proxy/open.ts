import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { NetworkContact } from '../../contract/capabilities/process.ts';
import { createAuthority } from '../edge/authority.ts';
import { createEdge } from '../edge/edge.ts';
import type { Asker } from '../edge/gate.ts';
import { createContacts } from './contacts.ts';
import { createRefusals, dismiss, rawAnswer } from './refusal.ts';
import { createRoad, resolveBySystem } from './road.ts';
import { createProxyRules, createTunnelCheck, parseAuthority, type Target } from './rules.ts';
import { idleMs, join, openTunnel } from './tunnel.ts';

export interface HostProxyOptions {
  readonly entries: readonly string[];
  /** The list's name in the configuration. */
  readonly key: string;
  readonly deniedHosts?: readonly string[] | undefined;
  /** Those of the entries that are passed on unread. Undefined: all. */
  readonly tunnels?: readonly string[] | undefined;
  /** Certificate authorities in PEM by which inspected hosts are verified. */
  readonly trusted?: (() => string) | undefined;
  /** Returns all addresses of a host name. Default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** The time limit for the head of a request, or the greeting in a tunnel. Default: 15 s. */
  readonly patienceMs?: number | undefined;
  /** For all commands together. Default: 1024. */
  readonly connectionsAtOnce?: number | undefined;
}

/** An HTTP proxy that reaches only the hosts of a list. */
export interface HostProxy {
  /** Ports of the sandbox's loopback that an outlet serves, in this order. */
  readonly ports: readonly number[];
  /** The environment variables by which programs find the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** The certificate that programs have to trust, in PEM; undefined if no host is inspected. */
  readonly authority?: string | undefined;
  openOutlet(): Outlet;
}

/** The proxy for one command. */
export interface Outlet {
  /** Takes over listening sockets, one for each of the ports. */
  adopt(listeners: readonly number[]): void;
  contacts(): readonly NetworkContact[];
  /** A held request is asked about through the command that sent it. Returns the function that takes it back. */
  attend(asker: Asker): () => void;
  /** Ends all connections at once. */
  close(): void;
}

/** Throws `ConfigError` on a bad list. */
export function createProxy(options: HostProxyOptions): HostProxy {
  const rules = createProxyRules(options.entries, options.key, options.deniedHosts);
  const refusals = createRefusals(options.key);
  const resolve = options.resolve ?? resolveBySystem;
  const patienceMs = options.patienceMs ?? 15_000;
  const connectionsAtOnce = options.connectionsAtOnce ?? 1024;
  const { entries, tunnels = entries } = options;
  const isTunnel = createTunnelCheck(entries, tunnels);
  const isInspected = (target: Target) => rules.allows(target) && !isTunnel(target);
  const authority = lazily(createAuthority);
  const trust = lazily(() => createSecureContext({ ca: options.trusted?.() }));
  let connections = 0;
  // Programs in the sandbox cannot listen below 1024.
  const loopback = [...rules.loopback].filter(([port]) => port >= 1024).slice(0, maxLoopbackPorts);
  const proxyPort = [3128, 3129].find((port) => !rules.loopback.has(port)) ?? 3130;

  function openOutlet(): Outlet {
    const contacts = createContacts(isInspected);
    const ending = new AbortController();
    const road = createRoad({ rules, refusals, contacts, resolve, signal: ending.signal });
    const servers = new Set<Server>();
    const sockets = new Set<Socket>();
    const edge = createEdge({ road, refusals, contacts, patienceMs, isInspected, authority, trust });
    const { proxy } = edge;

    async function connect(client: Socket, authority: string): Promise<void> {
      const target = parseAuthority(authority);
      if (!target) return dismiss(client, rawAnswer(refusals.unreadable));
      const reached = await road(target);
      if (reached.kind === 'refused') return dismiss(client, rawAnswer(reached.refusal));
      keep(reached.socket);
      await openTunnel(client, reached.socket, target, { contacts, edge, patienceMs });
    }

    proxy.on('connect', (request, stream, head) => {
      // The type says Duplex, but this server accepted a socket.
      const client = stream as Socket;
      client.on('error', () => {});
      client.setTimeout(idleMs, () => client.destroy());
      if (head.length > 0) client.unshift(head);
      connect(client, request.url ?? '').catch(() => client.destroy());
    });

    function keep(socket: Socket): void {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
      if (ending.signal.aborted) socket.destroy();
    }

    function listen(server: Server, fd: number): void {
      server.maxConnections = maxConnections;
      server.on('connection', (client) => {
        connections++;
        client.once('close', () => connections--);
        keep(client);
        if (connections > connectionsAtOnce) client.destroy();
      });
      server.on('error', () => server.close());
      servers.add(server);
      server.listen({ fd });
    }

    /** Forwards to a server on this machine's loopback, on the same port in the sandbox, with any protocol. */
    function forwardTo(target: Target): Server {
      const forward = async (client: Socket) => {
        const reached = await road(target);
        if (reached.kind === 'refused') return void client.destroy();
        keep(reached.socket);
        await join(client, reached.socket);
      };
      return createTcpServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
        forward(client).catch(() => client.destroy());
      });
    }

    return {
      adopt([first, ...rest]) {
        if (first !== undefined) listen(proxy, first);
        for (const [index, [port, host]] of loopback.entries()) {
          const fd = rest[index];
          if (fd !== undefined) listen(forwardTo({ host, port }), fd);
        }
        if (ending.signal.aborted) for (const server of servers) server.close();
      },
      contacts: contacts.list,
      attend: edge.attend,
      close() {
        ending.abort();
        for (const server of servers) server.close();
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  return {
    ports: [proxyPort, ...loopback.map(([port]) => port)],
    environment: proxyEnvironment(`http://127.0.0.1:${proxyPort}`),
    authority: entries.every((entry) => tunnels.includes(entry)) ? undefined : authority().certificate,
    openOutlet,
  };
}

const maxConnections = 128;
const maxLoopbackPorts = 16;

/** The variables of curl, git, pip, npm, cargo, Go and Node. Commands reach their own loopback directly. */
function proxyEnvironment(url: string): Readonly<Record<string, string>> {
  const own = 'localhost,.localhost,127.0.0.1,::1,0.0.0.0';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    all_proxy: url,
    NO_PROXY: own,
    no_proxy: own,
    NODE_USE_ENV_PROXY: '1',
  };
}

/** Making keys and reading all authorities takes a while, and the proxy of a server inspects no host. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
