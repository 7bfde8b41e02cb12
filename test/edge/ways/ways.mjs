// Ways of Node to send words to a host, and to read from it. Usage: ways.mjs NAME URL WORDS
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import tls from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

const [name, url, words] = process.argv.slice(2);
const { hostname, host } = new URL(url);
const proxy = new URL(process.env.HTTPS_PROXY);

/** http2 and tls know no proxy by themselves. */
function tunnel(ALPNProtocols) {
  return new Promise((resolve, reject) => {
    const asked = http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: host });
    asked.on('connect', (_answer, socket) => {
      const secured = tls.connect({ socket, host: hostname, ALPNProtocols }, () => resolve(secured));
      secured.on('error', reject);
    });
    asked.on('error', reject).end();
  });
}

async function overHttp2(headers, body, whole = body === undefined) {
  const socket = await tunnel(['h2']);
  const session = http2.connect(url, { createConnection: () => socket });
  session.on('error', () => {});
  const stream = session.request(headers, { endStream: whole });
  if (!whole) stream.end(body);
  stream.on('response', (head) => console.log(head[':status'], head['grpc-status'] ?? ''));
  let said = '';
  for await (const part of stream) said += part;
  console.log(said.slice(0, 300));
  session.destroy();
}

function byHttps(options, body, before = () => {}) {
  return new Promise((resolve, reject) => {
    const asked = https.request(url + (options.path ?? '/notes'), options, async (answer) => {
      let said = '';
      for await (const part of answer) said += part;
      console.log(answer.statusCode, said.slice(0, 300));
      resolve();
    });
    asked.on('error', reject);
    before(asked);
    asked.end(body);
  });
}

async function show(answer) {
  console.log(answer.status, (await answer.text()).slice(0, 300));
}

const notes = `${url}/notes`;
const ways = {
  // sending
  fetch: async () => show(await fetch(notes, { method: 'POST', body: words })),
  'fetch-form': async () => {
    const body = new FormData();
    body.set('note', words);
    await show(await fetch(notes, { method: 'POST', body }));
  },
  'fetch-stream': async () =>
    show(await fetch(notes, { method: 'PUT', body: new Blob([words]).stream(), duplex: 'half' })),
  'fetch-query': async () => show(await fetch(`${notes}?q=${encodeURIComponent(words.repeat(12))}`)),
  'fetch-cookie': async () =>
    show(await fetch(notes, { headers: { cookie: `note=${words.replaceAll(' ', '-').repeat(9)}` } })),
  'fetch-brotli': async () =>
    show(
      await fetch(notes, {
        method: 'POST',
        body: brotliCompressSync(words),
        headers: { 'content-encoding': 'br' },
      }),
    ),
  'fetch-delete': async () =>
    show(await fetch(`${notes}/${words.replaceAll(' ', '-')}`, { method: 'DELETE' })),
  graphql: async () =>
    show(
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: `{ a } mutation M { note(text: "${words}") { id } }`,
          operationName: 'M',
        }),
      }),
    ),
  rpc: async () =>
    show(
      await fetch(`${url}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'notes/add', params: [words] }),
      }),
    ),
  https: () => byHttps({ method: 'POST' }, words),
  'https-expect': () =>
    byHttps(
      { method: 'POST', headers: { expect: '100-continue', 'content-length': Buffer.byteLength(words) } },
      words,
      (asked) => asked.flushHeaders(),
    ),
  'https-deflate': () =>
    byHttps({ method: 'POST', headers: { 'content-encoding': 'deflate' } }, deflateSync(words)),
  'https-override': () =>
    byHttps({ method: 'GET', headers: { 'x-http-method-override': 'DELETE', 'x-note': words } }),
  http2: () => overHttp2({ ':method': 'POST', ':path': '/notes' }, words),
  'http2-get-body': () => overHttp2({ ':method': 'GET', ':path': '/notes' }, words),
  'http2-header': () => overHttp2({ ':method': 'GET', ':path': '/notes', 'x-note': words.repeat(9) }),
  'http2-gzip': () =>
    overHttp2({ ':method': 'PUT', ':path': '/notes', 'content-encoding': 'gzip' }, gzipSync(words)),
  grpc: () =>
    overHttp2(
      { ':method': 'POST', ':path': '/notes.Notes/Add', 'content-type': 'application/grpc', te: 'trailers' },
      Buffer.concat([Buffer.from([0, 0, 0, 0, words.length]), Buffer.from(words)]),
    ),
  undici: async () => {
    const { request, EnvHttpProxyAgent } = await import('undici');
    const { statusCode, body } = await request(notes, {
      method: 'POST',
      body: words,
      dispatcher: new EnvHttpProxyAgent(),
    });
    console.log(statusCode, (await body.text()).slice(0, 300));
  },
  websocket: () =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('https', 'wss')}/socket`);
      socket.onopen = () => socket.send(words);
      socket.onerror = socket.onclose = () => resolve(console.log('ended'));
    }),
  ws: async () => {
    const { WebSocket } = await import('ws');
    const socket = await tunnel(['http/1.1']);
    await new Promise((resolve) => {
      const made = new WebSocket(`${url.replace('https', 'wss')}/socket`, { createConnection: () => socket });
      made.on('open', () => made.send(words));
      made.on('unexpected-response', (_asked, answer) => resolve(console.log(answer.statusCode)));
      made.on('error', resolve).on('close', resolve);
    });
    socket.destroy();
  },
  // reading
  'read-fetch': async () => show(await fetch(`${url}/items`)),
  'read-fetch-query': async () =>
    show(await fetch(`${url}/items?page=2&sort=name&q=${encodeURIComponent('two words')}`)),
  'read-fetch-token': async () =>
    show(await fetch(`${url}/items`, { headers: { authorization: 'Bearer ab12cd34ef56ab12cd34' } })),
  'read-fetch-many': async () =>
    console.log(
      (await Promise.all(Array.from({ length: 20 }, (_, at) => fetch(`${url}/items/${at}`)))).length,
    ),
  'read-fetch-head': async () => show(await fetch(`${url}/items`, { method: 'HEAD' })),
  'read-https': () => byHttps({ method: 'GET', path: '/items' }),
  'read-https-agent': async () => {
    const agent = new https.Agent({ keepAlive: true, proxyEnv: process.env });
    for (const path of ['/items', '/more']) await byHttps({ method: 'GET', path, agent });
    agent.destroy();
  },
  'read-http2': () => overHttp2({ ':method': 'GET', ':path': '/items' }),
  'read-http2-head': () => overHttp2({ ':method': 'HEAD', ':path': '/items' }),
  'read-http2-many': async () => {
    const socket = await tunnel(['h2']);
    const session = http2.connect(url, { createConnection: () => socket });
    const all = Array.from({ length: 30 }, async (_, at) => {
      let said = '';
      for await (const part of session.request({ ':path': `/items/${at}` })) said += part;
      return said;
    });
    console.log((await Promise.all(all)).length);
    session.destroy();
  },
  'read-undici': async () => {
    const { request, EnvHttpProxyAgent } = await import('undici');
    const { statusCode, body } = await request(`${url}/items`, { dispatcher: new EnvHttpProxyAgent() });
    console.log(statusCode, await body.text());
  },
  'read-graphql': async () =>
    show(await fetch(`${url}/graphql?query=${encodeURIComponent('{ viewer { login } }')}`)),
  'read-rpc': async () =>
    show(await fetch(`${url}/items?method=list&id=1`, { headers: { accept: 'application/json' } })),
};
await ways[name]();
process.exit();
