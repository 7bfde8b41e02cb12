import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import type { SecretRule, Secrets } from '../../../contract/capabilities/secrets.ts';
import { ToolError } from '../../../contract/error.ts';
import type { Text } from '../../../contract/text/text.ts';
import { secretName } from '../../../ground/secrets/named.ts';
import { isSecureUrl } from '../../../ground/secure-url.ts';
import { hostOf } from '../../rules.ts';
import type { Field } from '../fields.ts';
import type { EdgeRequest } from '../request.ts';
import { Keys, type Lending, replaceInFields } from './keys.ts';
import type { Replacement } from './replacement.ts';

/** A request of ours as its host gets it, and what hides credentials in its answer. */
export interface Lent {
  readonly fields: readonly Field[];
  readonly carries: boolean;
  readonly hider: Replacement;
}

/** Credentials for requests of the server itself, whose settings name them as `${secret:NAME}`. */
export class OutwardKeys {
  readonly #rules: readonly SecretRule[];
  readonly #keys: Keys;

  constructor(secrets: Secrets) {
    // A request of the server itself is signed by nobody.
    this.#rules = secrets.rules.filter(({ as }) => !as.includes('sigv4'));
    this.#keys = new Keys({ ...secrets, rules: this.#rules }, ({ name }) => secretName(name));
  }

  /**
   * `fetch` that puts credentials in place of their names in headers, and hides them in answers. It follows no redirect
   * with one: its caller asks again, and each address is judged. Throws `denied` if a credential may not go there.
   */
  readonly fetch: typeof fetch = async (address, init = {}) => {
    const url = new URL(address instanceof Request ? address.url : address);
    await this.#keys.refresh(targetOf(url));
    const lent = this.#lend(url, init.method ?? 'GET', [...new Headers(init.headers)]);
    if (lent === undefined) return fetch(url, init);
    if ('because' in lent) throw new ToolError('denied', lent.because);
    const { carries, hider } = lent;
    const headers = lent.fields.map(([name, value]): [string, string] => [name, value]);
    return hidden(await fetch(url, { ...init, headers, ...(carries && { redirect: 'manual' }) }), hider);
  };

  /** For one page: a credential goes with it as long as each redirect leads to its hosts. */
  forPage(): (url: URL) => Promise<Lent | undefined> {
    let left = this.#rules;
    return async (url) => {
      await this.#keys.refresh(targetOf(url));
      left = left.filter(({ name }) => this.#keys.isFor(targetOf(url), name));
      for (const rule of left) {
        const lent = this.#lend(url, 'GET', [fieldOf(rule)]);
        if (lent && 'fields' in lent) return lent;
      }
      // A host may show a credential that it got before.
      const lent = this.#lend(url, 'GET', []);
      return lent && 'fields' in lent ? lent : undefined;
    };
  }

  /** Undefined if its host has to do with no credential. */
  #lend(url: URL, method: string, headers: readonly Field[]): Lent | { readonly because: Text } | undefined {
    const request: EdgeRequest = {
      method: method.toUpperCase(),
      scheme: isSecureUrl(url) ? 'https' : 'http',
      ...targetOf(url),
      target: url.pathname + url.search,
      headers,
      bodyStart: Buffer.alloc(0),
      bodyIsWhole: true,
      bodyBytes: 0,
    };
    const lending = this.#keys.lend(request, () => {});
    if (lending === undefined || 'because' in lending) return lending;
    return {
      fields: filled(headers, lending),
      carries: lending.uses.length > 0,
      hider: lending.hider,
    };
  }
}

/** A text without the credentials that it shows. If it was cut, an end that may be the start of one goes, too. */
export function withoutValues(bytes: Buffer, hider: Replacement, isCut = false): Buffer {
  return Buffer.from(hider.text(bytes.toString('latin1'), isCut), 'latin1');
}

function filled(headers: readonly Field[], { uses }: Lending): readonly Field[] {
  return uses.reduce((rest, { standIn, value }) => replaceInFields(rest, standIn, value), headers);
}

function targetOf(url: URL) {
  return { host: hostOf(url), port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
}

function fieldOf({ name, as, username }: SecretRule): Field {
  const named = secretName(name);
  for (const place of as) {
    if (place === 'bearer') return ['authorization', `Bearer ${named}`];
    if (place === 'basic')
      return ['authorization', `Basic ${Buffer.from(`${username}:${named}`).toString('base64')}`];
    if (place.startsWith('header:')) return [place.slice('header:'.length), named];
  }
  throw new Error(`no header for ${name}`);
}

function hidden(response: Response, hider: Replacement): Response {
  const { status, statusText, headers, url, redirected } = response;
  const isBare = status === 204 || status === 205 || status === 304;
  // A web stream of Node's own, whose types differ from those of `fetch`.
  const through = Duplex.toWeb(hider.stream()) as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  const clean = new Response(isBare ? null : (response.body?.pipeThrough(through) ?? null), {
    status,
    statusText: hider.text(statusText),
    headers: [...headers].map(([name, value]): [string, string] => [name, hider.text(value)]),
  });
  // The constructor cannot set them.
  return Object.defineProperties(clean, { url: { value: url }, redirected: { value: redirected } });
}
