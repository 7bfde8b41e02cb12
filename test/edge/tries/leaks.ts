import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** With characters that addresses, forms and JSON write in other ways. */
export const canary = 'ghp_K3yThatNobody/May+See="9Q';

export const base64 = (words: string) => Buffer.from(words).toString('base64');
export const hex = (words: string) => Buffer.from(words).toString('hex');

/** The ways to write a value that a program could read it back from. */
export const forms: readonly (readonly [name: string, of: (words: string) => string])[] = [
  ['itself', (words) => words],
  ['in upper case', (words) => words.toUpperCase()],
  ['in lower case', (words) => words.toLowerCase()],
  ...['', 'u:', 'u::'].map(
    (before) =>
      [`in base64 after ${before.length}`, (words: string) => base64(`${before}${words} and more`)] as const,
  ),
  ['in base64 for addresses', (words) => Buffer.from(`a${words}?`).toString('base64url')],
  ['in hex', hex],
  ['in upper hex', (words) => hex(words).toUpperCase()],
  ['percent-coded', encodeURIComponent],
  ['wholly percent-coded', (words) => hex(words).replace(/../g, '%$&')],
  ['percent-coded twice', (words) => hex(words).replace(/../g, '%25$&')],
  ['in JSON', (words) => JSON.stringify({ words })],
  ['in JSON in JSON', (words) => JSON.stringify(JSON.stringify({ words }))],
  ['in JSON escapes', (words) => hex(words).replace(/../g, '\\u00$&')],
  ['in JSON with escaped slashes', (words) => JSON.stringify({ words }).replaceAll('/', '\\/')],
  ['in escapes of JavaScript', (words) => hex(words).replace(/../g, '\\x$&')],
  ['in HTML', (words) => words.replaceAll('"', '&quot;')],
  ['in numbered HTML', (words) => [...words].map((char) => `&#${char.charCodeAt(0)};`).join('')],
  ['in hexadecimal HTML', (words) => hex(words).replace(/../g, '&#x$&;')],
];

const inField = (words: string) => words.replaceAll('"', '%22').replaceAll(/[^\x20-\x7e]/g, '');

/** Where a host may show a value that it got. */
export const places: Readonly<Record<string, (response: ServerResponse, words: string) => void>> = {
  'an echo in pieces of 1': (response, words) => inPieces(response, words, 1),
  'an echo in pieces of 9': (response, words) => inPieces(response, words, 9),
  'an echo after 64 KiB': (response, words) => response.end(`${'x'.repeat(65_530)}${words}`),
  'fields and a cookie': (response, words) =>
    response.writeHead(200, { 'X-Echo': inField(words), 'Set-Cookie': `a=${inField(words)}` }).end('.'),
  'a redirect': (response, words) => response.writeHead(302, { Location: `/?at=${inField(words)}` }).end(),
  'an error page': (response, words) =>
    response.writeHead(500, { 'Content-Type': 'text/html' }).end(`<h1>bad token ${words}</h1>`),
  'a challenge': (response, words) =>
    response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${inField(words)}"` }).end(words),
  'a reason': (response, words) => response.writeHead(200, `no ${inField(words)}`).end(),
  'a trailer': (response, words) => {
    response.writeHead(200, { Trailer: 'X-Last' }).write('.');
    response.addTrailers({ 'X-Last': inField(words) });
    response.end();
  },
  'an event': (response, words) =>
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`data: ${words}\n\n`),
  'a part': (response, words) =>
    response.writeHead(206, { 'Content-Range': `bytes 0-${words.length - 1}/9999` }).end(words),
  ...Object.fromEntries(
    Object.entries({
      gzip: gzipSync,
      br: brotliCompressSync,
      deflate: deflateSync,
      zstd: zstdCompressSync,
      'gzip, br': (words: string) => brotliCompressSync(gzipSync(words)),
      'raw deflate': (words: string) => deflateRawSync(words),
      unknown: (words: string) => words,
    }).map(([coding, compress]) => [
      `an echo in ${coding}`,
      (response: ServerResponse, words: string) => {
        response.setHeader('Content-Encoding', coding.replace('raw ', ''));
        response.end(compress(`${'x'.repeat(3000)}${words}`));
      },
    ]),
  ),
};

function inPieces(response: ServerResponse, words: string, size: number): void {
  for (let at = 0; at < words.length; at += size) response.write(words.slice(at, at + size));
  response.end();
}

/** Parts of the value in the forms that they are seen in, each long enough that no other text holds it. */
const traces = [
  'K3yThatNobody',
  hex('K3yThatNobody'),
  ...[0, 1, 2].map((before) => base64(`${'x'.repeat(before)}K3yThatNobody/M`).slice(4, 16)),
].map((trace) => trace.toLowerCase());

/** How often a text shows the value. */
export function shownIn(output: string): number {
  const lower = output.toLowerCase();
  // What remains of the escapes is the characters' own numbers.
  const bare = lower.replaceAll(/%25|%|\\+u00|\\+x|&#x|;/g, '');
  const numbered = lower.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return (
    traces.filter((trace) => lower.includes(trace)).length +
    [bare.includes(hex('K3yThatNobody')), numbered.toLowerCase().includes('k3ythatnobody')].filter(Boolean)
      .length
  );
}

/** Requests that carry the stand-in where it may not go; `KEY` stands for it, in the form. */
export const sendings: readonly { readonly name: string; readonly head: string; readonly body?: string }[] = [
  { name: 'another field', head: 'GET /a HTTP/1.1\r\nX-Other: KEY' },
  { name: 'a cookie', head: 'GET /a HTTP/1.1\r\nCookie: a=KEY' },
  { name: 'the name of the program', head: 'GET /a HTTP/1.1\r\nUser-Agent: KEY' },
  { name: 'where it came from', head: 'GET /a HTTP/1.1\r\nReferer: https://a.test/?KEY' },
  { name: 'the path', head: 'GET /a/KEY/b HTTP/1.1' },
  { name: 'another parameter', head: 'GET /a?other=KEY HTTP/1.1' },
  { name: 'a name of a parameter', head: 'GET /a?KEY=1 HTTP/1.1' },
  { name: 'a body', head: 'POST /a HTTP/1.1\r\nContent-Length: LENGTH', body: 'KEY' },
  { name: 'a body in pieces', head: 'POST /a HTTP/1.1\r\nTransfer-Encoding: chunked', body: 'CHUNKS' },
];
