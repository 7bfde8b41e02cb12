import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { HeldRequest } from '../../contract/capabilities/process.ts';
import { createGate } from './gate.ts';
import type { EdgeRequest } from './request.ts';

function requestWith(headers: EdgeRequest['headers'], more: Partial<EdgeRequest> = {}): EdgeRequest {
  return {
    method: 'GET',
    scheme: 'https',
    host: 'api.example.com',
    port: 443,
    target: '/items',
    headers,
    bodyStart: Buffer.alloc(0),
    bodyIsWhole: true,
    bodyBytes: 0,
    ...more,
  };
}

/** The questions that these requests open while none is answered. */
async function asked(...requests: readonly EdgeRequest[]): Promise<readonly HeldRequest[]> {
  const held: HeldRequest[] = [];
  const gate = createGate({ note: () => {} });
  gate.attend({
    isFrom: () => true,
    services: new Set(),
    ask: (one) => {
      held.push(one);
      return new Promise(() => {});
    },
  });
  const left = new AbortController();
  for (const request of requests)
    void gate.judge(request, { hold: () => left.signal, port: undefined }).catch(() => undefined);
  left.abort();
  return held;
}

const [one, other] = ['the first plan '.repeat(40), 'another plan '.repeat(40)];

test('requests that carry different words in a header or a cookie are no equal requests', async () => {
  expect(await asked(requestWith([['X-Note', one]]), requestWith([['X-Note', other]]))).toHaveLength(2);
  expect(await asked(requestWith([['Cookie', one]]), requestWith([['Cookie', other]]))).toHaveLength(2);
  expect(
    await asked(requestWith([['Authorization', one]]), requestWith([['Authorization', other]])),
  ).toHaveLength(2);
  const post = { method: 'POST', bodyStart: Buffer.from('x'), bodyBytes: 1 };
  expect(
    await asked(requestWith([['X-Note', 'a']], post), requestWith([['X-Note', 'b']], post)),
  ).toHaveLength(2);
});

test('a request that a program sends again is equal, though it dates and numbers each anew', async () => {
  const attempt = (at: number) =>
    requestWith(
      [
        ['User-Agent', 'aws-cli/1.45'],
        ['Date', `Sun, 29 Nov 2026 20:00:0${at} GMT`],
        ['X-Amz-Date', `20261129T20000${at}Z`],
        ['Authorization', `AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=${at}`],
        ['X-Request-Id', `5f4dcc3b-5aa7-65d6-1d83-27deb882cf9${at}`],
        ['amz-sdk-request', `attempt=${at}; max=3`],
      ],
      { method: 'PUT', bodyStart: Buffer.from('x'), bodyBytes: 1 },
    );
  expect(await asked(attempt(1), attempt(2))).toHaveLength(1);
});

test('a question shows what a header carries', async () => {
  const [{ notes } = { notes: [] }] = await asked(requestWith([['X-Note', one]]));
  expect(notes.map(({ en }) => en).join()).toContain('x-note: the first plan');
  const [cookies] = await asked(requestWith([['Cookie', one]]));
  expect(cookies?.notes.map(({ ja }) => ja).join()).toContain('クッキーが長すぎます: 「the first plan');
});
