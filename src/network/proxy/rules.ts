import { isIP } from 'node:net';
import { ConfigError } from '../../contract/error.ts';
import { isLoopbackHost } from '../../ground/secure-url.ts';
import { createPublicAddressCheck } from '../address.ts';
import { fits, type HostRule, hostOf, parseHost } from '../rules.ts';

/** A host and a port in canonical form, without brackets and without the root's dot. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** `example.com:443`, `[2001:db8::1]:443`; without the port 0, which stands for none. */
export function nameOf({ host, port }: Target): string {
  if (port === 0) return host;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The hosts that commands behind a proxy may reach. */
export type ProxyRules = ReturnType<typeof createProxyRules>;

/**
 * Reads a list such as `["api.example.com", "*.npmjs.org", "git.example.com:8443", "10.1.2.3:4873"]`. An entry without
 * a port means 443 and 80. An internal address must be in the list itself, with its port; a name for it must be listed,
 * too, so that control over a name opens nothing else. Throws `ConfigError`, quoting the key and the bad value.
 */
export function createProxyRules(
  entries: readonly string[],
  key: string,
  deniedHosts: readonly string[] = [],
) {
  const isPublic = createPublicAddressCheck();
  const rules = entries.map((entry, index) => parseEntry(entry, `${key}[${index}]`, isPublic));
  const denied = deniedHosts.map((entry) =>
    parseHost(entry, `Beside ${key}, the host of a rule that denies`),
  );
  const isDenied = (host: string, port: number) => denied.some((rule) => fits(rule, host, port));

  const allows = ({ host, port }: Target) =>
    !isDenied(host, port) &&
    rules.some((rule) => fits(rule, host, port) && (rule.port !== undefined || usualPorts.has(port)));

  const names = rules.flatMap(({ host, below, port }) => {
    const isName = !below && isIP(host) === 0 && !isLoopbackHost(host) && /^[\w.-]+$/.test(host);
    return isName
      ? (port === undefined ? [...usualPorts] : [port]).map((each) => ({ host, port: each }))
      : [];
  });
  const named = [...new Map(names.map((each) => [nameOf(each), each])).values()];

  const isListedInner = (address: string, port: number) =>
    rules.some((rule) => rule.port === port && isInnerName(rule.host, address));

  return {
    /** Whether the list names it. */
    allows,
    /** Whether every address that it resolved to may be connected to. */
    mayConnect: (target: Target, addresses: readonly string[]) =>
      addresses.length > 0 &&
      allows(target) &&
      addresses.every((answer) => {
        const address = canonicalAddress(answer);
        return !isDenied(address, target.port) && (isPublic(address) || isListedInner(address, target.port));
      }),
    /** Whether it names exactly this host with this port, beside those of the web: any protocol may be spoken there. */
    isService: ({ host, port }: Target) =>
      !usualPorts.has(port) && named.some((each) => each.port === port && each.host === host),
    /** The hosts that it names exactly, once for each port. */
    named,
    /** Ports of this machine's loopback that the list names, with their targets. */
    loopback: new Map(
      rules.flatMap(({ host, port, below }) =>
        !below && port !== undefined && isLoopbackHost(host) ? [[port, host] as const] : [],
      ),
    ),
  };
}

/** Whether a listed host is passed on unread, as the entry that names it most exactly says (`tunnels`: of those). */
export function createTunnelCheck(
  entries: readonly string[],
  tunnels: readonly string[],
): (target: Target) => boolean {
  const rules = entries
    .map((entry) => ({ ...parseHost(entry, 'entry'), isTunnel: tunnels.includes(entry) }))
    .sort((a, b) => exactness(b) - exactness(a));
  return ({ host, port }) => rules.find((rule) => fits(rule, host, port))?.isTunnel ?? false;
}

/** One name before all names below another, a longer before a shorter one, and one port before all. */
function exactness({ host, below, port }: HostRule): number {
  return (below ? 0 : 1000) + 2 * host.length + (port === undefined ? 0 : 1);
}

/** `host:port` of a CONNECT. Undefined for any other form, because differences between parsers defeat checks. */
export function parseAuthority(authority: string): Target | undefined {
  const match = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):(\d{1,5})$/.exec(authority);
  const name = match?.[1];
  const port = Number(match?.[2]);
  if (name === undefined || port < 1 || port > 65_535 || !URL.canParse(`http://${name}/`)) return undefined;
  const host = hostOf(new URL(`http://${name}/`));
  return host === '' ? undefined : { host, port };
}

const usualPorts: ReadonlySet<number> = new Set([80, 443]);

function parseEntry(entry: string, key: string, isPublic: (address: string) => boolean): HostRule {
  const rule = parseHost(entry, key);
  if (isIP(rule.host) === 0 && rule.host !== 'localhost') return rule;
  if (rule.below || (rule.port === undefined && !isPublic(rule.host))) {
    throw new ConfigError(
      `${key} must have a port, as an inner address: "10.1.2.3:8080", got "${entry}"`,
      `${key} には内部アドレスと同じく "10.1.2.3:8080" のようにポートを付けてください（指定値: "${entry}"）。`,
    );
  }
  return rule;
}

function isInnerName(listed: string, address: string): boolean {
  // A resolver may be configured to return something else for this name.
  if (listed === 'localhost') return address === '127.0.0.1' || address === '::1';
  return listed === address;
}

/** In the form of the list's addresses. */
function canonicalAddress(address: string): string {
  if (isIP(address) !== 6 || !URL.canParse(`http://[${address}]/`)) return address;
  return hostOf(new URL(`http://[${address}]/`));
}
