import type { Transform } from 'node:stream';
import { type Text, text } from '../../../../contract/text/text.ts';
import { nameOf } from '../../../proxy/rules.ts';
import { type Field, valuesOf } from '../../fields.ts';
import { percentDecoded } from '../../kinds/asked.ts';
import type { EdgeRequest } from '../../request.ts';
import { ChunkSigner } from './chunks.ts';
import { type AwsPair, canonicalWays, type Signing, sha256, signatureOf } from './signature.ts';

/** A request that was signed with a stand-in, and can be signed with the true key. */
export interface Resigning {
  /** Only its whole body shows how it was signed. */
  readonly needsBody: boolean;
  /** Undefined if it was not signed with the stand-in. `body` as a whole, if it is needed. */
  sign(outgoing: Outgoing, to: AwsPair, body?: Uint8Array): Signed | undefined;
}

interface Outgoing {
  readonly method: string;
  readonly target: string;
  readonly fields: readonly Field[];
}

export interface Signed extends Pick<Outgoing, 'target' | 'fields'> {
  /** The stream that its body passes through. */
  readonly body: Transform | undefined;
}

/** Whether a request names this key as its signer. */
export function isSignedBy(
  id: string,
  { headers, target }: Pick<EdgeRequest, 'headers' | 'target'>,
): boolean {
  return (
    id !== '' &&
    [...headerSigners(headers), ...querySigners(target)].some((each) => each.startsWith(`${id}/`))
  );
}

/** Reads how a request was signed; why it cannot be signed anew. */
export function readSigned(
  request: EdgeRequest,
  name: string,
  from: AwsPair,
): Resigning | { readonly because: Text } {
  const parsed = parse(request);
  if (!parsed) return { because: unclear(name) };
  const { payload, isPresigned } = parsed;
  if (payload !== undefined && /^STREAMING-/.test(payload) && !streams.has(payload))
    return { because: unsupported(name, payload) };
  const found = (payloads: readonly string[]) => {
    for (const each of payloads)
      for (const way of canonicalWays)
        if (signatureOf({ ...parsed, payload: each }, { ...parsed, pair: from }, way) === parsed.signature)
          return { payload: each, way };
    return undefined;
  };
  const isLate = payload === undefined && !request.bodyIsWhole;
  const known = found([
    ...(payload === undefined ? (isPresigned ? [unsigned] : []) : [payload]),
    ...(payload === undefined && request.bodyIsWhole ? [sha256(request.bodyStart)] : []),
  ]);
  if (!known && !isLate) return { because: notSigned(name) };
  return {
    needsBody: !known,
    sign(outgoing, to, body) {
      const how = known ?? (body && found([sha256(body)]));
      if (!how) return undefined;
      const host: Field = ['Host', request.port === 443 ? bracketed(request.host) : nameOf(request)];
      const kept = outgoing.fields.filter(([each]) => !own.has(each.toLowerCase()));
      const fields: readonly Field[] = [
        ...kept,
        ...(to.token === undefined || isPresigned ? [] : [['X-Amz-Security-Token', to.token] as const]),
      ];
      const all = [...fields, host];
      const names = [
        ...parsed.signed,
        ...(to.token === undefined || isPresigned ? [] : ['x-amz-security-token']),
      ];
      const signed = [...new Set(names)].filter((each) => valuesOf(all, each).length > 0).sort();
      const target = isPresigned ? presigned(outgoing.target, parsed.scope, to, signed) : outgoing.target;
      const signing: Signing = { ...parsed, pair: to };
      const signature = signatureOf(
        { ...outgoing, target, fields: all, signed, payload: how.payload },
        signing,
        how.way,
      );
      const chunks = streams.get(how.payload)
        ? new ChunkSigner({ ...parsed, pair: from }, signing, { from: parsed.signature, to: signature })
        : undefined;
      if (isPresigned) return { target: `${target}&X-Amz-Signature=${signature}`, fields, body: chunks };
      const login = `AWS4-HMAC-SHA256 Credential=${to.id}/${parsed.scope}, SignedHeaders=${signed.join(';')}, Signature=${signature}`;
      return { target, fields: [...fields, ['Authorization', login]], body: chunks };
    },
  };
}

const unsigned = 'UNSIGNED-PAYLOAD';
/** Bodies in chunks, each with whether they are signed. */
const streams: ReadonlyMap<string, boolean> = new Map([
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', false],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', true],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', true],
]);
/** Written anew, as is the host. */
const own = new Set(['authorization', 'x-amz-security-token', 'host']);

interface Parsed extends Omit<Signing, 'pair'>, Outgoing {
  readonly signed: readonly string[];
  readonly signature: string;
  readonly isPresigned: boolean;
  /** As declared; undefined: the hash of the body. */
  readonly payload: string | undefined;
}

/** Undefined if servers could read it in different ways. */
function parse({ method, target, headers, host, port }: EdgeRequest): Parsed | undefined {
  const logins = headerSigners(headers);
  const isPresigned = logins.length === 0;
  const named = valuesOf(headers, 'host');
  const fields: readonly Field[] =
    named.length > 0
      ? headers
      : [...headers, ['Host', port === 443 ? bracketed(host) : nameOf({ host, port })]];
  const parameters = new Map<string, string>();
  const given = isPresigned ? queryPairs(target) : headerPairs(valuesOf(headers, 'authorization')[0] ?? '');
  for (const [name, value] of given) {
    if (/^(X-Amz-)?(Credential|SignedHeaders|Signature|Date)$/.test(name) && parameters.has(name))
      return undefined;
    parameters.set(name, value);
  }
  const of = (name: string) => parameters.get(isPresigned ? `X-Amz-${name}` : name) ?? '';
  const only = (name: string) => (valuesOf(headers, name).length < 2 ? valuesOf(headers, name)[0] : '');
  const date = isPresigned ? of('Date') : (only('x-amz-date') ?? only('date') ?? '');
  const [, scope = ''] = /^[^/]+\/(\d{8}\/[\w-]+\/[\w.-]+\/aws4_request)$/.exec(of('Credential')) ?? [];
  const signed = of('SignedHeaders').toLowerCase().split(';');
  const [login = ''] = valuesOf(headers, 'authorization');
  const isWhole =
    (isPresigned ? of('Algorithm') === 'AWS4-HMAC-SHA256' : /^AWS4-HMAC-SHA256\s/.test(login)) &&
    signed.includes('host') &&
    signed.every((name, index) => valuesOf(fields, name).length > 0 && signed.indexOf(name) === index) &&
    /^\d{8}T\d{6}Z$/.test(date) &&
    scope.startsWith(date.slice(0, 8)) &&
    /^[\da-f]{64}$/.test(of('Signature'));
  if (!isWhole || valuesOf(headers, 'authorization').length > 1) return undefined;
  const payload = parameters.get('X-Amz-Content-Sha256') ?? only('x-amz-content-sha256');
  return { method, target, fields, signed, signature: of('Signature'), date, scope, isPresigned, payload };
}

function headerSigners(headers: readonly Field[]): readonly string[] {
  return valuesOf(headers, 'authorization')
    .filter((value) => /^AWS4-/.test(value))
    .flatMap((value) => headerPairs(value))
    .flatMap(([name, value]) => (name === 'Credential' ? [value] : []));
}

function querySigners(target: string): readonly string[] {
  return queryPairs(target).flatMap(([name, value]) => (name === 'X-Amz-Credential' ? [value] : []));
}

function headerPairs(login: string): readonly (readonly [string, string])[] {
  const words = login.replace(/^AWS4-[\w-]+\s+/, '').split(',');
  return words.map((each) => [each.split('=')[0]?.trim() ?? '', each.split('=').slice(1).join('=').trim()]);
}

function queryPairs(target: string): readonly (readonly [string, string])[] {
  const [, ...query] = target.split('?');
  return query
    .join('?')
    .split('&')
    .map((each) => {
      const [name = '', ...value] = each.split('=');
      return [name, percentDecoded(value.join('=')) ?? ''];
    });
}

function presigned(target: string, scope: string, { id, token }: AwsPair, signed: readonly string[]): string {
  const [path = '', ...query] = target.split('?');
  const rest = query
    .join('?')
    .split('&')
    .filter((each) => !/^X-Amz-(Credential|Security-Token|SignedHeaders|Signature)=/.test(each));
  const put = Object.entries({
    'X-Amz-Credential': `${id}/${scope}`,
    'X-Amz-SignedHeaders': signed.join(';'),
    ...(token !== undefined && { 'X-Amz-Security-Token': token }),
  }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${path}?${[...rest, ...put].join('&')}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function unclear(name: string): Text {
  return text(
    `The request names the stand-in of “${name}” but is not signed by AWS Signature Version 4 in a way that can be signed anew.`,
    `リクエストは「${name}」の代わりの値を含みますが、AWS 署名バージョン 4 として署名し直せる形ではありません。`,
  );
}

function unsupported(name: string, kind: string): Text {
  return text(
    `The body is signed as ${kind}, which cannot be signed anew with “${name}”: have the program sign it otherwise.`,
    `本文の署名形式 ${kind} は「${name}」で署名し直せません。別の署名形式を使ってください。`,
  );
}

function notSigned(name: string): Text {
  return text(
    `The signature does not fit the stand-in of “${name}”: sign with the secret access key that the variables hold.`,
    `署名が「${name}」の代わりの値と一致しません。環境変数にあるシークレットアクセスキーで署名してください。`,
  );
}
