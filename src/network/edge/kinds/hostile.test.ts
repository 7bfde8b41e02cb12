import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EdgeRequest } from '../request.ts';
import { judgeRequest } from './judge.ts';

function request(parts: Partial<EdgeRequest> & { readonly body?: string | Buffer }): EdgeRequest {
  const { body = '', ...others } = parts;
  const bodyStart = Buffer.from(body);
  return {
    method: 'GET',
    scheme: 'https',
    host: 'api.stranger.example',
    port: 443,
    target: '/status',
    headers: [],
    bodyStart,
    bodyIsWhole: true,
    bodyBytes: bodyStart.length,
    ...others,
  };
}

function randomBytes(seed: string, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${seed} ${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

/** Contents that an attacker would want to send out. */
const secrets: readonly string[] = [
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'AKIAIOSFODNN7EXAMPLQ',
  `-----BEGIN PRIVATE KEY-----\n${randomBytes('key', 300).toString('base64')}\n-----END PRIVATE KEY-----`,
  'DATABASE_PASSWORD=Tr0ub4dor&3-horse',
  randomBytes('a', 48).toString('base64'),
  randomBytes('b', 80).toString('hex'),
  randomBytes('c', 60).toString('base64url'),
  Buffer.from('the plan of the merger is to be told in March').toString('base64'),
  Buffer.from('the plan of the merger').toString('hex'),
  `words ${'of a whole page '.repeat(60)}`,
];

const ways: Readonly<Record<string, (secret: string) => EdgeRequest>> = {
  query: (secret) => request({ target: `/search?q=${encodeURIComponent(secret)}` }),
  'a name in the query': (secret) => request({ target: `/search?${encodeURIComponent(secret)}=1` }),
  'a cursor': (secret) => request({ target: `/list?cursor=${encodeURIComponent(secret)}` }),
  'a signature': (secret) => request({ target: `/a?X-Amz-Signature=${encodeURIComponent(secret)}` }),
  'a token of an address': (secret) =>
    request({ target: `/a?X-Amz-Security-Token=${encodeURIComponent(secret)}` }),
  path: (secret) => request({ target: `/files/${encodeURIComponent(secret)}` }),
  'a page of a user': (secret) => request({ target: `/u/${encodeURIComponent(secret)}/avatar.png` }),
  header: (secret) => request({ headers: [['X-Data', oneLine(secret)]] }),
  'a header that is sent by itself': (secret) => request({ headers: [['Accept-Language', oneLine(secret)]] }),
  'an etag': (secret) => request({ headers: [['If-None-Match', `"${oneLine(secret)}"`]] }),
  referer: (secret) => request({ headers: [['Referer', `https://a.example/${encodeURIComponent(secret)}`]] }),
  'user agent': (secret) => request({ headers: [['User-Agent', `curl/8 ${oneLine(secret)}`]] }),
  cookie: (secret) => request({ headers: [['Cookie', `session=${oneLine(secret)}`]] }),
  body: (secret) => request({ body: secret }),
  'the body of HEAD': (secret) => request({ method: 'HEAD', body: secret }),
  'the body of OPTIONS': (secret) => request({ method: 'OPTIONS', body: secret }),
  'a fetch': (secret) =>
    request({
      method: 'POST',
      target: '/a.git/git-upload-pack',
      body: `0014command=ls-refs\n0001${pkt(secret)}0000`,
    }),
  'the agent of a fetch': (secret) =>
    request({
      method: 'POST',
      target: '/a.git/git-upload-pack',
      body: `0014command=ls-refs\n${pkt(`agent=${oneLine(secret)}`)}0000`,
    }),
  'refs of a fetch': (secret) =>
    request({
      method: 'POST',
      target: '/a.git/git-upload-pack',
      body: `0014command=ls-refs\n0001${pkt(`ref-prefix ${encodeURIComponent(secret)}`)}0000`,
    }),
  'after a fetch': (secret) =>
    request({ method: 'POST', target: '/a.git/git-upload-pack', body: `0014command=ls-refs\n0000${secret}` }),
  'a packed fetch': (secret) =>
    request({
      method: 'POST',
      target: '/a.git/git-upload-pack',
      headers: [['Content-Encoding', 'gzip']],
      body: gzipSync(`0014command=ls-refs\n0001${pkt(secret)}0000`),
    }),
  'a push that is a probe': (secret) =>
    request({ method: 'POST', target: '/a.git/git-receive-pack', body: `0000${secret}` }),
  'large files': (secret) =>
    request({
      method: 'POST',
      target: '/a.git/info/lfs/objects/batch',
      body: JSON.stringify({ operation: 'download', objects: [{ oid: secret, size: 1 }] }),
    }),
  'the ref of large files': (secret) =>
    request({
      method: 'POST',
      target: '/a/info/lfs/objects/batch',
      body: JSON.stringify({ operation: 'download', objects: [], ref: { name: secret } }),
    }),
  'an audit at a stranger': (secret) =>
    request({
      method: 'POST',
      target: '/-/npm/v1/security/advisories/bulk',
      body: JSON.stringify({ [secret]: ['1.0.0'] }),
    }),
  'an audit at npm': (secret) =>
    request({
      host: 'registry.npmjs.org',
      method: 'POST',
      target: '/-/npm/v1/security/advisories/bulk',
      body: JSON.stringify({ a: [secret.repeat(6)] }),
    }),
  'a query at a stranger': (secret) =>
    request({
      method: 'POST',
      target: '/graphql',
      body: JSON.stringify({ query: '{ a }', variables: { secret } }),
    }),
  'a variable at GitHub': (secret) =>
    request({
      host: 'api.github.com',
      method: 'POST',
      target: '/graphql',
      body: JSON.stringify({ query: '{ a }', variables: { a: secret.repeat(12) } }),
    }),
  'a login': (secret) => request({ headers: [['Authorization', `Bearer ${oneLine(secret).repeat(3)}`]] }),
  'a password': (secret) =>
    request({
      headers: [['Authorization', `Basic ${Buffer.from(`user:${secret}-${secret}`).toString('base64')}`]],
    }),
  'a key': (secret) => request({ headers: [['X-Api-Key', oneLine(secret).repeat(3)]] }),
  'a host': (secret) =>
    request({ host: `${Buffer.from(secret.repeat(2)).toString('hex').slice(0, 60)}.stranger.example` }),
  'a bucket of somebody': (secret) =>
    request({ host: 'eve.s3.amazonaws.com', target: `/${encodeURIComponent(secret)}` }),
};

function oneLine(secret: string): string {
  return secret.replaceAll('\n', '');
}

function pkt(line: string): string {
  return `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, '0')}${line}`;
}

const tries = Object.entries(ways).flatMap(([way, make]) =>
  secrets.map((secret) => ({ way, secret, sent: make(secret) })),
);

test('there are more than two hundred', () => {
  expect(tries.length).toBeGreaterThan(200);
});

test.each(tries)('$way does not carry $secret', ({ sent }) => {
  expect(judgeRequest(sent).kind).not.toBe('read');
});

const odd: readonly Partial<EdgeRequest>[] = [
  { target: '/a/../b' },
  { target: '/a/%2e%2e/b' },
  { target: '/a/..;/b' },
  { target: '/a/%252e%252e/b' },
  { target: '/a%00b' },
  { target: '/a%5cb' },
  { target: '/a\\b' },
  { target: '/a%c0%af' },
  { target: '/a%zz' },
  { target: '/a?b=%ff' },
  { target: '/a#b' },
  { target: 'http://other.example/' },
  { target: '//other.example/../a' },
  { target: '*' },
  { target: '/a\tb' },
  {
    headers: [
      ['Host', 'api.stranger.example'],
      ['Host', 'other.example'],
    ],
  },
  { headers: [['Host', 'other.example']] },
  { headers: [['X-HTTP-Method-Override', 'DELETE']] },
  { headers: [['x-http-method', 'POST']] },
  { headers: [['X-Method-Override', 'put']] },
  { target: '/a?_method=delete' },
  { host: 'api.telegram.org', target: '/bot1:a/sendMessage?chat_id=7&text=a' },
  { host: 'slack.com', target: '/api/chat.postMessage?text=a' },
  { host: 'iam.amazonaws.com', target: '/?Action=DeleteUser&UserName=a' },
  { host: 'iam.amazonaws.com', target: '/?Action=GetUser&Action=DeleteUser' },
  { target: '/graphql?query=mutation%20a%7Bb%7D' },
  { headers: [['X-Original-URL', '/admin']] },
  { headers: [['X-Rewrite-Url', '/admin']] },
  { method: 'get' },
  { method: 'TRACE' },
  { method: 'PROPFIND' },
  {
    headers: [
      ['Upgrade', 'websocket'],
      ['Connection', 'Upgrade'],
    ],
  },
  { headers: [['Sec-WebSocket-Key', 'a']] },
  { bodyIsWhole: false },
  { bodyBytes: 5 },
];

test.each(odd)('%j is not a reading request', (parts) => {
  expect(judgeRequest(request(parts)).kind).not.toBe('read');
});

test('the method that a header names counts', () => {
  const overridden = judgeRequest(
    request({ method: 'POST', headers: [['X-HTTP-Method-Override', 'DELETE']] }),
  );
  expect(overridden.kind).toBe('delete');
  expect(
    judgeRequest(request({ method: 'POST', headers: [['X-HTTP-Method-Override', 'GET']], body: 'x' })).kind,
  ).toBe('send');
});

const method = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'MKCOL', 'post', 'QUERY');
const segment = fc.oneof(
  fc.constantFrom(
    'graphql',
    'git-upload-pack',
    'info',
    'lfs',
    'objects',
    'batch',
    '-',
    'npm',
    'v1',
    'security',
    'audits',
    'token',
    'v2',
    'simple',
    '@v',
    '..',
    '%2f',
    'a.git',
  ),
  fc.string({ maxLength: 12 }).map(encodeURIComponent),
);
const header = fc.tuple(
  fc.constantFrom(
    'content-type',
    'x-amz-target',
    'x-http-method-override',
    'accept',
    'content-encoding',
    'authorization',
  ),
  fc.constantFrom(
    'application/json',
    'GET',
    'Glue.GetTable',
    'gzip',
    'AWS4-HMAC-SHA256 a',
    'application/grpc',
    'application/x-git-upload-pack-request',
  ),
);

test('no body that a stranger is sent reads', () => {
  fc.assert(
    fc.property(
      method,
      fc.array(segment, { maxLength: 6 }),
      fc.array(header, { maxLength: 4 }),
      fc.string({ minLength: 1, maxLength: 400 }),
      (verb, path, headers, body) => {
        expect(
          judgeRequest(request({ method: verb, target: `/${path.join('/')}`, headers, body })).kind,
        ).not.toBe('read');
      },
    ),
    { numRuns: 3000, seed: 47 },
  );
});

test('a long query of any words is sent', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 450, maxLength: 3000 }), (words) => {
      expect(
        judgeRequest(request({ target: `/?q=${encodeURIComponent(words.replace(/[\ud800-\udfff]/g, ''))}` }))
          .kind,
      ).not.toBe('read');
    }),
    { numRuns: 300, seed: 47 },
  );
});

test('random bytes in any place are sent', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 64, maxLength: 200 }),
      fc.constantFrom('hex', 'base64', 'base64url'),
      fc.constantFrom(...Object.keys(ways)),
      (bytes, coding, way) => {
        const sent = ways[way]?.(Buffer.from(bytes).toString(coding as BufferEncoding));
        if (sent) expect(judgeRequest(sent).kind, way).not.toBe('read');
      },
    ),
    { numRuns: 1500, seed: 47 },
  );
});

test('grants of one path are not of another', () => {
  const patterns = [
    '/repos/o/r/issues',
    '/repos/o/r/issues/',
    '/repos/o%2Fr/issues',
    '/repos/o/r/../r/issues',
    '/repos/o/r/issues?a=1',
    '/repos/o/x/issues',
    `/repos/o/r/${'a'.repeat(1500)}`,
    `/repos/o/r/${'a'.repeat(1501)}`,
  ].map(
    (target) =>
      judgeRequest(request({ host: 'api.github.com', method: 'POST', target, body: '{}' })).pathPattern,
  );
  expect(new Set(patterns).size).toBe(patterns.length);
});

test('one yes covers a push and its large files, and nothing else at that path', () => {
  const post = (target: string, body: string) =>
    judgeRequest(request({ method: 'POST', target, body })).pathPattern;
  const line = `0065${'1'.repeat(40)} ${'2'.repeat(40)} refs/heads/a\0 a`;
  const pushed = post('/o/r.git/git-receive-pack', `${line}0000`);
  expect(post('/o/r.git/info/lfs/objects/batch', '{"operation":"upload","objects":[]}')).toBe(pushed);
  expect(judgeRequest(request({ method: 'PUT', target: '/o/r.git' })).pathPattern).not.toBe(pushed);
});
