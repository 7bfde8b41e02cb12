/**
 * A way to get a marked word past the edge. `PAST` stands for a word of the try's own, `HOST` for the tunnel's host with
 * its port, `PORT` for that port, `INNER` for one of this machine's loopback, and `LENGTH` for the length of the body.
 */
export type Try = { readonly name: string } & (Over1 | Over2);

interface Over1 {
  readonly bytes: string;
  /** Sent to the proxy itself and not inside a tunnel. */
  readonly isToProxy?: boolean;
  /** The host of the tunnel. Default: `api.test`. */
  readonly host?: string | undefined;
  /** The name in the greeting of TLS; null: none. Default: the host. */
  readonly greets?: string | null | undefined;
}

interface Over2 extends Pick<Over1, 'host' | 'greets'> {
  readonly fields: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
}

const smuggled = 'POST /PAST HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\n\r\nPAST';
/** Nobody agreed to `/PAST`; to `/granted/a` with a body that does not hold the word, somebody did. */
const granted = '/granted/a';

/** Fields that two servers may take for two lengths. */
const framings = [
  'Content-Length: 0',
  'Content-Length: 0\r\nContent-Length: LENGTH',
  'Content-Length: LENGTH\r\nContent-Length: 0',
  'Content-Length: 0, LENGTH',
  'Content-Length: LENGTH, LENGTH',
  'Content-Length: +LENGTH',
  'Content-Length: -1',
  'Content-Length: 0xff',
  'Content-Length: 1e2',
  'Content-Length: 0\x0bLENGTH',
  'Content-Length:',
  'Content-Length: 18446744073709551616',
  'Content-Length : LENGTH',
  'Content_Length: LENGTH',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: LENGTH',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: ChUnKeD',
  'Transfer-Encoding : chunked',
  'Transfer_Encoding: chunked',
  ' Transfer-Encoding: chunked',
  'X: a\r\n Transfer-Encoding: chunked',
  'X: a\r\n\tContent-Length: LENGTH',
  'X: a\nTransfer-Encoding: chunked',
  'X: a\rTransfer-Encoding: chunked',
  'X: a\0\r\nTransfer-Encoding: chunked',
  'Connection: Content-Length\r\nContent-Length: LENGTH',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Expect: 100-continue\r\nContent-Length: LENGTH',
  'TE: trailers, chunked\r\nTransfer-Encoding: chunked',
];

const smuggling = ['GET /read', `POST ${granted}`].flatMap((start) =>
  framings.flatMap((framing) =>
    ['', '0\r\n\r\n'].map((end): Try => {
      const head = `${start} HTTP/1.1\r\nHost: HOST\r\n${framing}`;
      return { name: `${start}, ${framing}, ${end}`, bytes: `${head}\r\n\r\n${end}${smuggled}` };
    }),
  ),
);

/** Bodies in chunks, of a request that is agreed to or that reads. */
const chunked = [
  '5;x=PAST\r\nhello\r\n0\r\n\r\n',
  '5;x="\r\nPAST"\r\nhello\r\n0\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\nPAST',
  '5\nhello\n0\n\nPAST',
  '5\rhello\r\n0\r\n\r\nPAST',
  '05\r\nhelloPAST\r\n0\r\n\r\n',
  '0x5\r\nPASTS\r\n0\r\n\r\n',
  '-5\r\nPASTS\r\n0\r\n\r\n',
  'FFFFFFFFFFFFFFFF5\r\nPASTS\r\n0\r\n\r\n',
  '5\r\nhello0\r\n\r\nPAST',
  '5\r\nhello\r\n0\r\nX-Note: PAST\r\n\r\n',
  '5\r\nhello\r\n0\r\nPAST: a\r\n\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 4\r\n\r\nPAST',
  '5\r\nhello\r\n0\r\n X: PAST\r\n\r\n',
  '5\r\nhello\r\n0;PAST\r\n\r\n',
  `5\r\nhello\r\n0\r\n\r\n${smuggled}`,
].map(
  (body): Try => ({
    name: `chunks ${body}`,
    bytes: `POST ${granted} HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
  }),
);

/** A fetch of git reads; nothing may travel with it. */
const fetch = 'POST /a.git/git-upload-pack HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n';
const besideReading = [
  `${fetch}\r\n18\r\n0014command=ls-refs\n0000\r\n0\r\nX-Note: PAST\r\n\r\n`,
  `${fetch}Trailer: X-Note\r\n\r\n18\r\n0014command=ls-refs\n0000\r\n0\r\nX-Note: PAST\r\n\r\n`,
  `${fetch}\r\n18;PAST\r\n0014command=ls-refs\n0000\r\n0\r\n\r\n`,
  `${fetch}\r\n1c\r\n0014command=ls-refs\n0000PAST\r\n0\r\n\r\n`,
  'GET /read HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Note: PAST\r\n\r\n',
].map((bytes, at): Try => ({ name: `beside what reads, ${at}`, bytes }));

const hosts = [
  'Host: HOST\r\nHost: other.test',
  'Host: other.test\r\nHost: HOST',
  'Host: HOST\r\nHost: HOST',
  'Host: other.test',
  'Host: HOST, other.test',
  'Host: other.test@HOST',
  'Host: HOST@other.test',
  'Host: HOST/',
  'Host: HOST#other.test',
  'Host: HOST other.test',
  'Host: api.test:1',
  'Host: api.test.:1',
  'Host: 127.0.0.2:1',
  'Host:',
  'X: y',
  'Host : HOST',
  ' Host: HOST',
  'Host: other.test\r\n HOST',
  'Host: HOST\0',
  'Host: HOST\r\nX-Original-URL: /PAST',
  'Host: HOST\r\nX-Rewrite-URL: /PAST',
  'Host: HOST\r\nX-HTTP-Method-Override: DELETE',
  'Host: HOST\r\nX-HTTP-Method: DELETE',
].map((fields): Try => ({ name: `fields ${fields}`, bytes: `GET /PAST HTTP/1.1\r\n${fields}\r\n\r\n` }));

const lines = [
  'GET http://other.test/PAST HTTP/1.1',
  'GET https://other.test/PAST HTTP/1.1',
  'GET https://HOST/PAST HTTP/1.1',
  'GET http://HOST/PAST HTTP/1.1',
  'GET ftp://HOST/PAST HTTP/1.1',
  'GET PAST HTTP/1.1',
  'GET @other.test/PAST HTTP/1.1',
  'CONNECT other.test:443/PAST HTTP/1.1',
  'CONNECT HOST HTTP/1.1\r\nX: PAST',
  'OPTIONS * HTTP/1.1\r\nX: PAST',
  'get /PAST HTTP/1.1',
  'GET /PAST HTTP/1.1 HTTP/1.1',
  'GET\t/PAST HTTP/1.1',
  'TRACE /PAST HTTP/1.1',
  'MKCOL /PAST HTTP/1.1',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nPAST',
].map((line): Try => ({ name: line, bytes: `${line}\r\nHost: HOST\r\n\r\n` }));

/** Paths that a server may take for another than the one that was agreed to. */
const paths = [
  `${granted}/../PAST`,
  `${granted}/%2e%2e/PAST`,
  `${granted}/.%2E/PAST`,
  `${granted}/..;/PAST`,
  `${granted}/..%2fPAST`,
  `${granted}%2f..%2fPAST`,
  `${granted}%2fPAST`,
  `${granted}%5c..%5cPAST`,
  `${granted}\\..\\PAST`,
  `${granted}/%252e%252e/PAST`,
  `${granted}%252fPAST`,
  `${granted}%00PAST`,
  `${granted}%0aPAST`,
  `${granted}%c0%afPAST`,
  `${granted}/%ef%bc%8e%ef%bc%8e/PAST`,
  `${granted};PAST`,
  `${granted}?PAST`,
  `${granted}?_method=DELETE&PAST`,
  `${granted}#PAST`,
  `${granted}/PAST`,
  `${granted}//PAST`,
  `/${granted}/PAST`,
  `/./granted/a/PAST`,
  '/granted/PAST',
  '/GRANTED/a/PAST',
  '/%67ranted/a/PAST',
].flatMap((path) =>
  ['POST', 'DELETE'].map(
    (method): Try => ({
      name: `${method} ${path}`,
      bytes: `${method} ${path} HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n`,
    }),
  ),
);

const overrides = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].flatMap((name) =>
  ['DELETE', 'PUT'].map(
    (method): Try => ({
      name: `${name}: ${method}`,
      bytes: `POST ${granted} HTTP/1.1\r\nHost: HOST\r\n${name}: ${method}\r\nX-Note: PAST\r\nContent-Length: 0\r\n\r\n`,
    }),
  ),
);

const mutation = 'mutation { addStar(input: { starrableId: \\"PAST\\" }) { clientMutationId } }';
/** Bodies for GitHub's GraphQL, of which each would change something or cannot be told. */
const documents = [
  `{"query": "${mutation}"}`,
  `{"query": "query a { viewer { login } } ${mutation}"}`,
  `{"query": "query a { viewer { login } } mutation b { x(a: \\"PAST\\") }", "operationName": "b"}`,
  `{"query": "fragment f on User { login } ${mutation}"}`,
  `{"query": "# query { a }\\n${mutation}"}`,
  `{"query": "\\"\\"\\"query\\"\\"\\" ${mutation}"}`,
  `{"query": ",,, ${mutation}"}`,
  `{"query": "\\ufeff${mutation}"}`,
  `{"query": "\\u006dutation { x(a: \\"PAST\\") }"}`,
  `{"query": "subscription { x(a: \\"PAST\\") }"}`,
  `{"query": "mutation a { one: x(a: \\"PAST\\") two: x(a: \\"PAST\\") }"}`,
  `{"query": "query { a }", "query": "${mutation}"}`,
  `{"query": "${mutation}", "query": "query { a }"}`,
  `[{"query": "query { a }"}, {"query": "${mutation}"}]`,
  `[[{"query": "${mutation}"}]]`,
  '{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "PAST"}}}',
  '{"id": "PAST"}',
  '{"documentId": "PAST"}',
  '{"query": "", "id": "PAST"}',
  '{"query": {"a": "PAST"}}',
  `{"query": "query { a }"} {"query": "${mutation}"}`,
  `{"query": "query { a }", "Query": "${mutation}"}`,
  `{"query": "query { a(b: \\"\\\\\\"\\") } ${mutation}"}`,
  `{"query": "query @a(b: \\"mutation\\") { a } ${mutation}"}`,
  `{"query": "query { a } extend type b { PAST: Int }"}`,
  `{"query": "query { a "} PAST`,
].flatMap((body) =>
  ['application/json', 'text/plain'].map(
    (type): Try => ({
      name: `${type} ${body}`,
      host: 'api.github.com',
      bytes: `POST /graphql HTTP/1.1\r\nHost: HOST\r\nContent-Type: ${type}\r\nContent-Length: LENGTH\r\n\r\n${body}`,
    }),
  ),
);
const queries = [
  `/graphql?query=${encodeURIComponent('mutation { x(a: "PAST") }')}`,
  '/graphql?query=%6dutation%7Bx(a:%22PAST%22)%7D',
  '/graphql?query=query%7Ba%7D&query=mutation%7BPAST%7D',
].map(
  (path): Try => ({
    name: path,
    host: 'api.github.com',
    bytes: `GET ${path} HTTP/1.1\r\nHost: HOST\r\n\r\n`,
  }),
);

/** All that can disagree about the host of one connection: the tunnel, the greeting, and the request. */
const greetings = ['api.test', 'other.test'].flatMap((tunnel) =>
  ['api.test', 'other.test', 'unlisted.test', null].flatMap((greets) =>
    ['api.test', 'other.test', 'unlisted.test'].flatMap((names) =>
      tunnel === greets && tunnel === names
        ? []
        : (
            [
              { fields: fieldsOf({ ':authority': `${names}:PORT`, ':path': '/PAST' }) },
              { bytes: `GET /PAST HTTP/1.1\r\nHost: ${names}:PORT\r\n\r\n` },
            ] as const
          ).map((how): Try => ({ name: `${tunnel}, ${greets}, ${names}`, host: tunnel, greets, ...how })),
    ),
  ),
);

/** Fields of HTTP/2 that become something else in HTTP/1.1, each with or without a body. */
const overHttp2 = (
  [
    { ':authority': 'other.test' },
    { host: 'other.test' },
    { ':path': 'https://other.test/PAST' },
    { ':path': 'PAST' },
    { ':path': '*' },
    { ':path': '' },
    { ':path': '/a HTTP/1.1\r\nX: PAST' },
    { ':path': '/a\r\nX: PAST' },
    { ':path': '/a PAST' },
    { ':path': '/a\0PAST' },
    { ':path': '/a#PAST' },
    { ':path': '/a/../PAST' },
    { ':method': 'GET /PAST HTTP/1.1\r\nX: y\r\n\r\nGET' },
    { ':method': 'CONNECT' },
    { ':method': 'get' },
    { ':method': '' },
    { ':scheme': 'https://other.test/PAST?' },
    { ':protocol': 'websocket', ':method': 'CONNECT' },
    { 'transfer-encoding': 'chunked' },
    { 'content-length': '1' },
    { 'content-length': '99' },
    { connection: 'keep-alive, x' },
    { upgrade: 'websocket' },
    { te: 'chunked' },
    { 'X-Upper': 'PAST' },
    { 'x-note': 'a\r\nHost: other.test\r\nX: PAST' },
    { 'x-note': 'a\r\n\r\nPOST /PAST HTTP/1.1' },
    { 'x-note': 'a\nPAST' },
    { 'x-note': 'a\0PAST' },
    { 'x note': 'PAST' },
    { 'x-note:': 'PAST' },
    { 'x-http-method-override': 'DELETE' },
    { 'x-original-url': '/PAST' },
  ] as readonly Readonly<Record<string, string>>[]
).flatMap((fields) =>
  [smuggled, undefined].map(
    (body): Try => ({
      name: `${JSON.stringify(fields)} ${body ? 'with a body' : ''}`,
      fields: fieldsOf({
        ...(!body && !JSON.stringify(fields).includes('PAST') && { ':path': '/PAST' }),
        ...fields,
      }),
      body,
    }),
  ),
);
/** A second of each field that names the request. */
const repeated = [':path', ':method', ':authority', ':scheme', 'host', 'content-length'].map(
  (name): Try => ({
    name: `two of ${name}`,
    fields: [...fieldsOf({ ':path': '/PAST' }), [name, name === ':path' ? '/read' : 'other.test']],
  }),
);

/** Spellings of this machine and of what is near it. */
const inner = [
  ...['127.0.0.1', '127.1', '127.0.1', '0', '0.0.0.0', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1'],
  ...['017700000001', '127.0.0.1.', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.255.255.254'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fe80::1%lo]', '[fd00::1]', '[fec0::1]'],
  ...['169.254.169.254', '[::ffff:169.254.169.254]', '2852039166', '0xa9fea9fe', '10.0.0.1', '192.168.0.1'],
  ...['172.16.0.1', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '１２７.0.0.1'],
].flatMap((address): readonly Try[] => [
  {
    name: `CONNECT ${address}`,
    isToProxy: true,
    bytes: `CONNECT ${address}:INNER HTTP/1.1\r\nHost: HOST\r\n\r\nPAST`,
  },
  {
    name: `http://${address}/`,
    isToProxy: true,
    bytes: `GET http://${address}:INNER/PAST HTTP/1.1\r\nHost: HOST\r\n\r\n`,
  },
]);

/** Answers of a resolver for names below `lead.test`, which is listed. */
export const leading: readonly string[] = [
  ...['127.0.0.1', '127.0.0.53', '0.0.0.0', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254'],
  ...['100.64.0.1', '::1', '::', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1'],
  ...['2002:7f00:1::', 'fe80::1%lo', 'fd12::1', 'ff02::1', '198.18.0.1', '192.0.2.1', '240.0.0.1'],
];
const names = leading.flatMap((_, at) =>
  ['', 'and-public-'].map(
    (more): Try => ({
      name: `${more}${leading[at]} by name`,
      isToProxy: true,
      bytes: `CONNECT ${more}${at}.lead.test:INNER HTTP/1.1\r\n\r\nPAST`,
    }),
  ),
);

export const tries: readonly Try[] = [
  ...[smuggling, chunked, besideReading, hosts, lines, paths, overrides, documents, queries].flat(),
  ...[greetings, overHttp2, repeated, inner, names].flat(),
];

function fieldsOf(fields: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const usual = { ':method': 'GET', ':scheme': 'https', ':authority': 'HOST', ':path': '/read' };
  return Object.entries({ ...usual, ...fields });
}
