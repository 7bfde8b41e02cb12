import type { ProxyRules, Target } from './rules.ts';

/** A socket that listens in a sandbox's own network. */
export interface Listening {
  readonly address: string;
  /** Undefined: a Unix socket, whose name is the address. */
  readonly port?: number | undefined;
  /** The proxy, the hosts with addresses of their own, a person's keys, or a port of this machine's loopback. */
  readonly serves: 'proxy' | 'named' | 'signing' | Target;
}

/** The sockets of an outlet, in the order of their descriptors. */
export type AllListening = readonly [Listening & { readonly port: number }, ...Listening[]];

/** An address of the sandbox's loopback for each host that the list names exactly, as its hosts file says. */
export function addressesFor({ named }: ProxyRules): ReadonlyMap<string, string> {
  const hosts = [...new Set(named.map(({ host }) => host))].slice(0, maxHosts);
  return new Map(hosts.map((host, index) => [host, `127.64.${(index + 1) >> 8}.${(index + 1) & 255}`]));
}

/** The sockets of an outlet, the proxy's first. To a program that knows no proxy, an address stands for its host. */
export function listeningFor(
  { loopback, named }: ProxyRules,
  addresses: ReadonlyMap<string, string>,
  signs: boolean,
): AllListening {
  const port = [3128, 3129].find((each) => !loopback.has(each)) ?? 3130;
  const ours = [...loopback].filter(([each]) => each >= firstFree);
  const low = new Set(named.flatMap((each) => (each.port < firstFree ? each.port : [])));
  // A command's own server may listen on such a port of another address.
  const high = named.flatMap(({ host, port }) => {
    const address = port < firstFree ? undefined : addresses.get(host);
    return address === undefined ? [] : { address, port, serves: 'named' as const };
  });
  return [
    { address: '127.0.0.1', port, serves: 'proxy' },
    ...(signs ? [{ address: 'agent', serves: 'signing' as const }] : []),
    ...ours
      .slice(0, maxPorts)
      .map(([port, host]) => ({ address: '127.0.0.1', port, serves: { host, port } })),
    ...high.slice(0, maxPorts),
    // Last, as not every sandbox can listen there.
    ...[...low].slice(0, maxPorts).map((port) => ({ address: '0.0.0.0', port, serves: 'named' as const })),
  ];
}

/** Commands cannot listen below. */
const firstFree = 1024;
const maxPorts = 16;
const maxHosts = 1024;
