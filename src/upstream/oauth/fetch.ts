import { lookup as resolveName } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackHost, isSafeUrl, loopbackHosts } from '../../ground/secure-url.ts';
import { wholeOf } from '../../ground/waiting/bounded-stream.ts';

export interface AddressRule {
  readonly isPublic: (address: string) => boolean;
  /** Addresses from the configuration; only their hosts may be internal. */
  readonly named: readonly string[];
}

export type OauthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Metadata and token responses are small; larger ones are wrong. */
const maxAnswerBytes = 256 * 1024;
const timeoutMs = 15_000;

/**
 * `fetch` for addresses that a server told us: discovery, registration, tokens. Only https and public hosts, plus hosts
 * that the operator named, with http if they are loopback. Connects to the address that was checked. Redirects are
 * returned, not followed.
 */
export function createOauthFetch({ isPublic, named }: AddressRule): OauthFetch {
  const hosts = new Set(named.flatMap((url) => hostsOf(new URL(url).hostname)));
  return async (url, init = {}) => {
    const target = new URL(url);
    const isNamed = hosts.has(target.hostname);
    assertAllowed(target, isNamed, isPublic);
    return await send(target, init, isNamed ? undefined : lookupPublic(isPublic));
  };
}

function hostsOf(hostname: string): readonly string[] {
  return isLoopbackHost(hostname) ? loopbackHosts : [hostname];
}

function assertAllowed(url: URL, isNamed: boolean, isPublic: AddressRule['isPublic']): void {
  if (!isSafeUrl(url)) throw new Error(`Not asked, as it is not https: ${url.origin}`);
  if (isNamed) return;
  const bare = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopbackHost(url.hostname) || (isIP(bare) !== 0 && !isPublic(bare))) {
    throw inner(url.origin);
  }
}

function inner(where: string): Error {
  return new Error(
    `Not asked, as it is an inner address: ${where}. If it is right, name it as oauth.issuer.`,
  );
}

function lookupPublic(isPublic: AddressRule['isPublic']): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error || !first) return callback(error ?? new Error('no address'), '', 0);
      if (!addresses.every(({ address }) => isPublic(address))) {
        return callback(inner(hostname), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function send(url: URL, init: RequestInit, lookup: LookupFunction | undefined): Promise<Response> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      agent: false,
      signal: AbortSignal.any(signals),
      ...(lookup && { lookup }),
    });
    outgoing.once('error', reject);
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the server switched protocols'));
    });
    outgoing.once('response', (incoming) => {
      collect(incoming).then((body) => resolve(responseOf(incoming, body)), reject);
    });
    outgoing.end(init.body === undefined || init.body === null ? undefined : String(init.body));
  });
}

async function collect(incoming: http.IncomingMessage): Promise<Buffer> {
  const body = await wholeOf(incoming, maxAnswerBytes);
  if (!body) throw new Error('The answer is too large.');
  return body;
}

function responseOf({ statusCode = 500, headers }: http.IncomingMessage, body: Buffer): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const isBare = statusCode === 204 || statusCode === 205 || statusCode === 304;
  return new Response(isBare ? null : new Uint8Array(body), { status: statusCode, headers: pairs });
}
