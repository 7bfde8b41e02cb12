import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AwsRequest,
  chunked,
  date,
  type Key,
  presigned,
  type Service,
  scopeOf,
  signed,
  whyRefused,
} from '../../../../../test/edge/aws.ts';
import { text } from '../../../../contract/text/text.ts';
import type { Incoming } from '../../incoming.ts';
import type { EdgeRequest } from '../../request.ts';
import { Keys } from '../keys.ts';
import { lend } from '../lend.ts';

const expiring = {
  id: 'ASIAQWERTYUIOPASDFGH',
  secret: 'aB3/dE5+gH7jK9lM1nO3pQ5rS7tU9vW1xY3zA5bC',
  token: 'FwoGZXIvYXdzEJr//tokentokentoken==',
};
const lasting = { id: 'AKIAQWERTYUIOPASDFGH', secret: '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' };
const host = 'b.s3.test';

function openKeys(key: Key) {
  let value = Object.values(key).join(':');
  const keys = new Keys({
    rules: [{ name: 'aws', hosts: [host], as: ['sigv4'], variable: 'AWS', username: 'x' }],
    valueOf: () => value,
    whyNone: () => text('', ''),
    refresh: () => undefined,
  });
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = keys.environment;
  const standIn: Key = {
    id: AWS_ACCESS_KEY_ID,
    secret: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { token: AWS_SESSION_TOKEN }),
  };
  const becomes = (next: Key) => {
    value = Object.values(next).join(':');
  };
  return { keys, standIn, becomes };
}

/** The request as the host gets it; a string says why it gets none. */
async function sent(
  keys: Keys,
  request: AwsRequest,
  more: Partial<EdgeRequest> = {},
): Promise<AwsRequest | string> {
  const body = Buffer.from(request.body as string, 'latin1');
  const fields = Object.entries(request.headers);
  const edge: EdgeRequest = {
    method: request.method,
    scheme: 'https',
    host,
    port: 443,
    target: request.target,
    headers: fields,
    bodyStart: body.subarray(0, 64 * 1024),
    bodyIsWhole: body.length <= 64 * 1024,
    bodyBytes: body.length,
    ...more,
  };
  const notes: string[] = [];
  const lent = keys.lend(edge, ({ en }) => notes.push(en));
  if (!lent || 'because' in lent) return lent?.because.en ?? 'passes unchanged';
  const incoming = {
    method: request.method,
    target: request.target,
    fields,
    body: Readable.from([body]),
  } as unknown as Incoming;
  const whole = lent.signing?.needsBody ? body : undefined;
  const out = lend(incoming, lent, Readable.from([body.subarray(0, 1000), body.subarray(1000)]), whole);
  if (!out) return 'not signed';
  const headers = Object.fromEntries(out.incoming.fields.map(([name, each]) => [name.toLowerCase(), each]));
  const passed = await buffer(out.incoming.body).catch((error: Error) => error.message);
  if (typeof passed === 'string') return passed;
  return { method: request.method, target: out.path, headers: { ...headers, host }, body: passed };
}

async function outcome(
  keys: Keys,
  key: Key,
  request: AwsRequest,
  more?: Partial<EdgeRequest>,
): Promise<string> {
  const out = await sent(keys, request, more);
  return typeof out === 'string' ? out : (whyRefused(out, key) ?? 'taken');
}

const get = (target: string): AwsRequest => ({ method: 'GET', target, headers: { host }, body: '' });

describe.each([lasting, expiring])('A request that is signed with a stand-in, of %j', (key) => {
  const { keys, standIn } = openKeys(key);

  test('has stand-ins of the form of keys', () => {
    expect(standIn.id).toMatch(/^A[KS]IA[A-Z]{16}$/);
    expect(standIn.secret).toHaveLength(40);
    expect(JSON.stringify(keys.environment)).not.toContain(key.secret);
  });

  const word = fc
    .string({ unit: 'binary', maxLength: 8 })
    .map((each) => encodeURIComponent(each.toWellFormed()));
  const odd = fc.constantFrom(
    '',
    '.',
    '..',
    '%2F',
    '%2f',
    '%252F',
    '%25',
    '%E3%81%82',
    'a b'.replace(' ', '%20'),
    "!'()*",
    '~',
    '+',
    ':@&=,;$',
    '%ff',
    '%2e',
    'a%5Cb',
  );
  const paths = fc.array(fc.oneof(word, odd), { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  const queries = fc
    .array(fc.tuple(fc.oneof(word, odd), fc.oneof(word, odd), fc.boolean()), { maxLength: 4 })
    .map((pairs) =>
      pairs.map(([name, value, bare]) => (bare ? name : `${name}=${value}`).replaceAll('&', '%26')).join('&'),
    );

  test('goes out signed with the key, whatever its address', async () => {
    await fc.assert(
      fc.asyncProperty(
        paths,
        queries,
        fc.constantFrom<Service>('s3', 'dynamodb'),
        async (path, query, service) => {
          const request = get(query === '' ? path : `${path}?${query}`);
          expect(await outcome(keys, key, signed(request, standIn, service))).toBe('taken');
          expect(await outcome(keys, key, presigned(request, standIn))).toBe('taken');
        },
      ),
      { numRuns: 100 },
    );
  });

  test('keeps headers that it signed, with spaces and twice', async () => {
    const request = { ...get('/a'), headers: { host, 'x-amz-meta-a': '  a   b ', range: 'bytes=0-9' } };
    expect(await outcome(keys, key, signed(request, standIn, 's3'))).toBe('taken');
  });

  test('has its body covered as it was declared', async () => {
    const put = { method: 'PUT', target: '/a', headers: { host }, body: 'words' };
    expect(await outcome(keys, key, signed(put, standIn, 's3'))).toBe('taken');
    expect(await outcome(keys, key, signed(put, standIn, 'dynamodb'))).toBe('taken');
    for (const declared of ['UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'])
      expect(await outcome(keys, key, signed(put, standIn, 's3', declared))).toBe('taken');
    const long = { ...put, body: 'x'.repeat(300_000) };
    expect(await outcome(keys, key, signed(long, standIn, 'dynamodb'))).toBe('taken');
    expect(
      await outcome(keys, key, { ...signed(long, standIn, 'dynamodb'), body: 'y'.repeat(300_000) }),
    ).toBe('not signed');
  });

  test.each([undefined, 'x-amz-checksum-crc32c:sOO8/Q=='])(
    'has its chunks signed anew, with the trailer %s',
    async (trailer) => {
      const kind = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer ? '-TRAILER' : ''}`;
      const head = signed({ method: 'PUT', target: '/a', headers: { host }, body: '' }, standIn, 's3', kind);
      const seed = /Signature=(\w+)/.exec(head.headers.authorization ?? '')?.[1] ?? '';
      const chunks = (parts: readonly string[]) =>
        chunked(parts, { secret: standIn.secret, scope: scopeOf('s3'), date, seed }, trailer);
      for (const parts of [[], ['a'], ['a'.repeat(70_000), '\r\n0;chunk-signature=', 'b'.repeat(1000)]])
        expect(await outcome(keys, key, { ...head, body: chunks(parts) })).toBe('taken');
      const body = chunks(['abc', 'def']);
      expect(await outcome(keys, key, { ...head, body: body.replace('abc', 'abd') })).toBe(
        'a chunk of another key',
      );
      expect(await outcome(keys, key, { ...head, body: body.slice(0, 120) })).toBe(
        'a body that ends within a chunk',
      );
      expect(await outcome(keys, key, { ...head, body: `ffffffff;${body}` })).toBe(
        'a chunk that cannot be signed anew',
      );
      if (trailer)
        expect(await outcome(keys, key, { ...head, body: body.replace('sOO8', 'sOO9') })).toBe(
          'a chunk of another key',
        );
    },
  );

  test('is refused if another key signed it, or something else than what is sent', async () => {
    const request = signed(get('/a?b=c'), standIn, 's3');
    const other = signed(get('/a?b=c'), { ...standIn, secret: key.secret }, 's3');
    for (const wrong of [
      other,
      { ...request, method: 'PUT' },
      { ...request, target: '/b?b=c' },
      { ...request, target: '/a?b=d' },
    ])
      expect(await outcome(keys, key, wrong)).toContain('does not fit the stand-in of “aws”');
    const renamed = { ...request, headers: { ...request.headers, host: 'other.s3.test' } };
    expect(await outcome(keys, key, renamed)).toContain('does not fit the stand-in');
    for (const [from, to] of [
      ['host;', ''],
      [date, '20261130'],
      ['SignedHeaders=', 'SignedHeaders=x-none;'],
      ['AWS4-HMAC-SHA256 ', 'AWS4-HMAC-SHA256 Signature=0, '],
    ] as const) {
      const headers = {
        ...request.headers,
        authorization: (request.headers.authorization ?? '').replace(from, to),
      };
      expect(
        await outcome(keys, key, {
          ...request,
          headers: from === date ? { ...request.headers, 'x-amz-date': to } : headers,
        }),
      ).toContain('in a way that can be signed anew');
    }
    const sealed = signed(
      { ...get('/a'), method: 'PUT' },
      standIn,
      's3',
      'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
    );
    expect(await outcome(keys, key, sealed)).toContain('signed as STREAMING-AWS4-ECDSA');
    const asymmetric = {
      ...request.headers,
      authorization: (request.headers.authorization ?? '').replace('HMAC', 'ECDSA-P256'),
    };
    expect(await outcome(keys, key, { ...request, headers: asymmetric })).toContain(
      'in a way that can be signed anew',
    );
    expect(await outcome(keys, key, request, { host: 'b.other.test' })).toContain(
      'may not go to b.other.test',
    );
  });

  test.each([
    (request: AwsRequest) => ({ ...request, headers: { ...request.headers, 'x-a': standIn.secret } }),
    (request: AwsRequest) => ({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${standIn.secret}` },
    }),
    (request: AwsRequest) => ({ ...request, target: `/a?id=${standIn.id}` }),
    (request: AwsRequest) => ({ ...request, body: `id=${Buffer.from(standIn.id).toString('hex')}` }),
  ])('is refused if it holds a stand-in anywhere else', async (change) => {
    expect(await outcome(keys, key, change(signed(get('/a'), standIn, 's3')))).toContain('may not go there');
  });
});

test('A key may become one that expires, and the other way round, while commands run', async () => {
  const first = openKeys(lasting);
  first.becomes(expiring);
  expect(await outcome(first.keys, expiring, signed(get('/a'), first.standIn, 's3'))).toBe('taken');
  expect(await outcome(first.keys, expiring, presigned(get('/a'), first.standIn))).toBe('taken');
  const second = openKeys(expiring);
  second.becomes(lasting);
  expect(await outcome(second.keys, lasting, signed(get('/a'), second.standIn, 's3'))).toBe('taken');
  expect(await outcome(second.keys, lasting, presigned(get('/a'), second.standIn))).toBe('taken');
});

test('A request of another key passes unchanged', async () => {
  const { keys } = openKeys(lasting);
  const request = signed(get('/a'), { id: 'AKIAOTHEROTHEROTHER1', secret: 'x'.repeat(40) }, 's3');
  expect(await sent(keys, request)).toMatchObject({
    headers: { authorization: request.headers.authorization },
  });
});
