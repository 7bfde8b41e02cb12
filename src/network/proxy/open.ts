import { createSecureContext } from 'node:tls';
import type { Secrets } from '../../contract/capabilities/secrets.ts';
import type { CommitSigner, SshAccess } from '../../contract/capabilities/signing.ts';
import { lazy } from '../../ground/waiting/once.ts';
import { createAuthority } from '../edge/authority.ts';
import { Keys } from '../edge/keys/keys.ts';
import { signingFolder, sshSettings } from '../ssh/settings.ts';
import { type AllListening, addressesFor, listeningFor } from './listening.ts';
import { type Outlet, type OutletOptions, ProxyOutlet } from './outlet.ts';
import { createRefusals } from './refusal.ts';
import { resolveBySystem } from './road.ts';
import { createProxyRules, createTunnelCheck, type Target } from './rules.ts';

export interface HostProxyOptions {
  readonly entries: readonly string[];
  /** The list's name in the configuration. */
  readonly key: string;
  readonly deniedHosts?: readonly string[] | undefined;
  /** Those of the entries that are passed on unread. Undefined: all, but for the hosts of credentials. */
  readonly tunnels?: readonly string[] | undefined;
  /** Is a person asked about requests that do more than read? Default: yes. */
  readonly asks?: boolean | undefined;
  /** Certificate authorities in PEM by which inspected hosts are verified. */
  readonly trusted?: (() => string) | undefined;
  /** Credentials for inspected hosts. */
  readonly secrets?: Secrets | undefined;
  /** Hosts at which a person's ssh agent signs in. The entries name them, too. */
  readonly ssh?: SshAccess | undefined;
  /** Signs commits and tags. */
  readonly signer?: CommitSigner | undefined;
  /** Returns all addresses of a host name. Default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** The time limit for the head of a request, or the greeting in a tunnel. Default: 15 s. */
  readonly patienceMs?: number | undefined;
  /** For all commands together. Default: 1024. */
  readonly connectionsAtOnce?: number | undefined;
}

/** The network of a sandbox, which reaches only the hosts of a list. */
export interface HostProxy {
  /** The sockets that an outlet serves, in this order; the first is the proxy's. */
  readonly listening: AllListening;
  /** For the sandbox's hosts file: the address of each host that the list names exactly. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The environment variables by which programs find the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files below `/etc` that programs read. */
  readonly files?: readonly (readonly [path: string, content: string])[] | undefined;
  /** Settings by which git logs in to hosts, and has commits signed. */
  readonly gitSettings: readonly (readonly [name: string, value: string])[];
  /** Files of the home folder with logins, by their paths below it. */
  readonly homeFiles: ReadonlyMap<string, string>;
  /** The certificate that programs have to trust, in PEM; undefined if no host is inspected. */
  readonly authority?: string | undefined;
  openOutlet(): Outlet;
}

/** Throws `ConfigError` on a bad list. */
export function createProxy(options: HostProxyOptions): HostProxy {
  const { entries, tunnels } = options;
  const rules = createProxyRules(entries, options.key, options.deniedHosts);
  const authority = lazy(createAuthority);
  const keys = options.secrets && new Keys(options.secrets);
  const isTunnel = tunnels ? createTunnelCheck(entries, tunnels) : (target: Target) => !keys?.isFor(target);
  const isInspecting = tunnels ? !entries.every((entry) => tunnels.includes(entry)) : keys !== undefined;
  const addresses = addressesFor(rules);
  const { ssh, signer } = options;
  const listening = listeningFor(rules, addresses, ssh !== undefined || signer !== undefined);
  const shared: OutletOptions = {
    rules,
    refusals: createRefusals(options.key),
    resolve: options.resolve ?? resolveBySystem,
    patienceMs: options.patienceMs ?? 15_000,
    listening,
    hosts: new Map(addresses.entries().map(([host, address]) => [address, host])),
    isInspected: (target) => rules.allows(target) && !isTunnel(target),
    authority,
    trust: lazy(() => createSecureContext({ ca: options.trusted?.() })),
    keys,
    asks: options.asks ?? true,
    ssh,
    signer,
    connections: { open: 0, most: options.connectionsAtOnce ?? 1024 },
  };
  return {
    listening,
    addresses,
    environment: {
      ...proxyEnvironment(`http://127.0.0.1:${listening[0].port}`),
      ...keys?.environment,
      ...(ssh && { SSH_AUTH_SOCK: `${signingFolder}/agent` }),
    },
    files: ssh && sshSettings(ssh),
    gitSettings: [
      ...(keys?.gitSettings ?? []),
      ...(signer ? signPrograms.map((name) => [name, `${signingFolder}/sign`] as const) : []),
    ],
    homeFiles: keys?.homeFiles ?? new Map(),
    authority: isInspecting ? authority().certificate : undefined,
    openOutlet: () => new ProxyOutlet(shared),
  };
}

const signPrograms = ['gpg.program', 'gpg.openpgp.program', 'gpg.ssh.program'];

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
