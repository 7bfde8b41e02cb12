import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { EdgeRequest } from '../request.ts';
import { refusalOf } from './refusal.ts';

const request: EdgeRequest = {
  method: 'POST',
  scheme: 'https',
  host: 'a.example',
  port: 443,
  target: '/a',
  headers: [],
  bodyStart: Buffer.alloc(0),
  bodyIsWhole: true,
  bodyBytes: 0,
};
const sentence = 'Held for approval q7: 承認待ち <b>.';

test('gRPC ends with the headers', () => {
  expect(refusalOf('grpc', request, sentence)).toMatchObject({
    status: 200,
    headers: [
      ['Content-Type', 'application/grpc'],
      ['grpc-status', '7'],
      ['grpc-message', encodeURIComponent(`Sekisho: ${sentence}`)],
    ],
    body: '',
  });
});

test('S3 gets XML', () => {
  expect(refusalOf('s3', request, sentence).body).toContain(
    '<Code>AccessDenied</Code><Message>Sekisho: Held for approval q7: 承認待ち &lt;b&gt;.</Message>',
  );
});

test('Go and gem get text', () => {
  expect(refusalOf('go', request, sentence)).toMatchObject({ status: 403, body: `Sekisho: ${sentence}\n` });
  expect(refusalOf('gems', request, sentence).body).toBe(`Sekisho: ${sentence}\n`);
});

test('all others get JSON, and a reason in the characters of a status line', () => {
  const { status, reason, body } = refusalOf('npm', request, sentence);
  expect({ status, reason }).toEqual({ status: 403, reason: 'Sekisho: Held for approval q7:   <b>.' });
  expect(JSON.parse(body)).toEqual({
    error: `Sekisho: ${sentence}`,
    message: `Sekisho: ${sentence}`,
    errors: [{ code: 'DENIED', message: `Sekisho: ${sentence}`, detail: `Sekisho: ${sentence}` }],
  });
});

test('a push of which nothing can be read is refused by status', () => {
  expect(
    refusalOf('git', { ...request, target: '/a.git/git-receive-pack', bodyStart: Buffer.from('x') }, sentence)
      .status,
  ).toBe(403);
});
