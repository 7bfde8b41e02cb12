import { isIP } from 'node:net';
import { ConfigError, ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { createPublicAddressCheck } from './address.ts';

/** Rules for addresses. An undefined list does not restrict; an empty `allowHosts` allows nothing. */
export interface WebRuleOptions {
  /** `example.com`, `*.example.com`, `example.com:9000`. */
  readonly allowHosts?: readonly string[] | undefined;
  readonly denyHosts?: readonly string[] | undefined;
  /** Internal pages that are allowed all the same, each with its port: `10.1.2.3:8080`, `wiki.corp:80`. */
  readonly allowPrivate?: readonly string[] | undefined;
}

/** Throws `ConfigError`, quoting the key and the bad value. */
export function createWebRules(options: WebRuleOptions) {
  const allowed = options.allowHosts?.map((entry, i) => parseHost(entry, `web.allowHosts[${i}]`));
  const denied = (options.denyHosts ?? []).map((entry, i) => parseHost(entry, `web.denyHosts[${i}]`));
  const inner = (options.allowPrivate ?? []).map((entry, i) => parseInner(entry, `web.allowPrivate[${i}]`));
  const isPublic = createPublicAddressCheck();
  const isDenied = (host: string, port: number): boolean => denied.some((rule) => fits(rule, host, port));

  return {
    /** The URL to request. Throws `invalid_parameter` or `denied`. */
    check(input: string): URL {
      const url = parseUrl(input);
      const host = hostOf(url);
      const port = portOf(url);
      if (isDenied(host, port)) throw hostDenied(host);
      if (inner.some((rule) => rule.host === host && rule.port === port)) return url;
      const rule = allowed?.find((entry) => fits(entry, host, port));
      if (allowed !== undefined && rule === undefined) throw hostDenied(host);
      // An internal address behind a name is known only after resolving; `assertMayConnect` then decides.
      const mayBeInner = inner.some((entry) => entry.port === port && isIP(entry.host) !== 0);
      if (!usualPorts.has(port) && rule?.port !== port && !mayBeInner) throw portDenied(port);
      return url;
    },

    /** Throws `denied` unless every address that the host resolved to may be connected to. */
    assertMayConnect(url: URL, addresses: readonly string[]): void {
      const host = hostOf(url);
      const port = portOf(url);
      const isOpen =
        usualPorts.has(port) || allowed?.some((rule) => rule.port === port && fits(rule, host, port));
      const may = (address: string): boolean =>
        !isDenied(address, port) &&
        (inner.some((rule) => rule.port === port && (rule.host === host || rule.host === address)) ||
          (isOpen === true && isPublic(address)));
      // One bad address refuses all: a name that leads both outside and inside is a trick or a mistake.
      const bad = addresses.find((address) => !may(address));
      if (bad === undefined && addresses.length > 0) return;
      throw new ToolError(
        'denied',
        `${host} does not lead to a public internet address.`,
        `${host} は公開されたインターネット上のアドレスではありません。`,
        {
          suggestion: text(
            `Fetch a public page. The operator can allow this one with web.allowPrivate: ["${url.hostname}:${port}"].`,
            `公開ページを取得してください。運用者は web.allowPrivate: ["${url.hostname}:${port}"] で許可できます。`,
          ),
          // For the log only: the address would reveal the layout of the internal network.
          cause: `${host} resolved to ${bad ?? 'nothing'}`,
        },
      );
    },
  };
}

const usualPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
const maxUrlChars = 8192;

export interface HostRule {
  readonly host: string;
  readonly below: boolean;
  readonly port?: number | undefined;
}

function parseUrl(input: string): URL {
  // Parsers disagree about these characters, and such differences defeat checks.
  if (input.length > maxUrlChars || /[\\\s\u0000-\u001f\u007f]/.test(input) || !URL.canParse(input))
    throw badUrl(text('is not a URL', 'が URL ではありません'));
  const url = new URL(input);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw badUrl(text('must begin with http:// or https://', 'は http:// か https:// で始めてください'));
  if (url.username !== '' || url.password !== '')
    throw badUrl(
      text('must not contain a user name or password', 'にユーザー名やパスワードを含められません'),
    );
  url.hash = '';
  return url;
}

function badUrl(problem: Text): ToolError {
  return new ToolError('invalid_parameter', `url ${problem.en}.`, `url ${problem.ja}。`, {
    suggestion: text(
      'Write it like https://example.com/page.',
      'https://example.com/page のように書いてください。',
    ),
    details: { field: 'url' },
  });
}

function hostDenied(host: string): ToolError {
  return new ToolError(
    'denied',
    `${host} is not among the hosts that may be fetched.`,
    `${host} は取得を許可されたホストではありません。`,
    text(
      'Use another source, or ask the operator to change web.allowHosts or web.denyHosts.',
      '別の情報源を使うか、web.allowHosts や web.denyHosts の変更を運用者に依頼してください。',
    ),
  );
}

function portDenied(port: number): ToolError {
  return new ToolError(
    'denied',
    `Port ${port} is not allowed.`,
    `ポート ${port} には接続できません。`,
    text(
      'Ports 80, 443, 8080 and 8443 are. The operator can allow a host with its port in web.allowHosts.',
      '80、443、8080、8443 は使えます。運用者は web.allowHosts にポート付きで追加できます。',
    ),
  );
}

/** The host without IPv6 brackets and without the root's dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

export function fits(rule: HostRule, host: string, port: number): boolean {
  if (rule.port !== undefined && rule.port !== port) return false;
  return rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host;
}

export function parseHost(entry: string, key: string): HostRule {
  const below = entry.startsWith('*.');
  const rest = below ? entry.slice(2) : entry;
  const parsed = splitHost(rest);
  if (!parsed)
    throw new ConfigError(
      `${key} must be a host such as "example.com" or "*.example.com", got "${entry}"`,
      `${key} には "example.com" や "*.example.com" のようなホストを指定してください（指定値: "${entry}"）。`,
    );
  return { ...parsed, below };
}

function parseInner(entry: string, key: string): { readonly host: string; readonly port: number } {
  const parsed = splitHost(entry);
  if (parsed?.port === undefined)
    throw new ConfigError(
      `${key} must be an address with a port such as "10.1.2.3:8080", got "${entry}"`,
      `${key} には "10.1.2.3:8080" のようなポート付きのアドレスを指定してください（指定値: "${entry}"）。`,
    );
  return { host: parsed.host, port: parsed.port };
}

function splitHost(entry: string): { readonly host: string; readonly port?: number } | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:/\\?#@[\]*]+)(?::(\d{1,5}))?$/.exec(entry);
  const name = match?.[1];
  if (name === undefined || !URL.canParse(`http://${name}/`)) return undefined;
  const host = hostOf(new URL(`http://${name}/`));
  if (host === '') return undefined;
  if (match?.[2] === undefined) return { host };
  const port = Number(match[2]);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
