import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld } from '../assistant/world.ts';
import { openSite } from './site.ts';

/** Bytes of a text in an encoding that Node only reads. */
function encoded(text: string, encoding: string): Buffer {
  const pairs = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding);
  for (let first = 0x80; first < 0x100; first++) {
    pairs.set(decoder.decode(Uint8Array.of(first)), [first]);
    for (let second = 0x40; second < 0x100; second++) {
      const words = decoder.decode(Uint8Array.of(first, second));
      if ([...words].length === 1) pairs.set(words, [first, second]);
    }
  }
  return Buffer.from([...text].flatMap((letter) => pairs.get(letter) ?? [letter.charCodeAt(0)]));
}

const paragraph = 'The keeper wrote every traveller into the book, the hour and the road. '.repeat(5);
const page = (body: string) => `<!doctype html><meta charset=utf-8><title>Doc</title><body>${body}</body>`;
const russian =
  'Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. ';
const scannedPdf = Buffer.from(
  [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj',
    'trailer<</Root 1 0 R>>',
    '%%EOF',
  ].join('\n'),
);

interface Sent {
  readonly body: string | Buffer;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
const sent: Record<string, Sent> = {
  '/app': {
    body: page('<div id=app></div><noscript>Enable JavaScript.</noscript><script src=x.js></script>'),
  },
  '/bare': { body: page('<div></div><script src=x.js></script>') },
  '/empty': { body: page('<div></div>') },
  '/iframe': { body: page('<iframe src="/real" title="Docs"></iframe>') },
  '/frames': { body: '<frameset cols="20%,80%"><frame src="/nav"><frame src="/real"></frameset>' },
  '/scan.pdf': { body: scannedPdf, headers: { 'content-type': 'application/pdf' } },
  '/challenge': {
    body: '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>',
    status: 403,
  },
  '/waf': { body: page('<script>window.gokuProps = {}</script><p>wait</p>') },
  '/notes': {
    body: page(
      `<main><h1>fetch()</h1><p>${paragraph}</p><aside><p>ASIDE</p></aside><footer><p>FOOT</p></footer></main><nav>NAV</nav>`,
    ),
  },
  '/whole': { body: page(`<main><p>${paragraph}</p></main>`) },
  '/cp1251': { body: encoded(`<title>T</title><p>${russian.repeat(4)}</p>`, 'windows-1251') },
  '/declared': {
    body: encoded(`<title>T</title><p>${russian.repeat(4)}</p>`, 'windows-1251'),
    headers: { 'content-type': 'text/html; charset=windows-1251' },
  },
  '/list.xml.gz': {
    body: gzipSync(`<?xml version="1.0"?><urlset><loc>REAL</loc></urlset>`),
    headers: { 'content-type': 'application/gzip' },
  },
  '/bomb.gz': { body: gzipSync(Buffer.alloc(6_000_000)), headers: { 'content-type': 'application/gzip' } },
  '/old': { body: '<meta content="0; url=/real" http-equiv=refresh><title>Moved</title>' },
  '/slow': { body: page(`<meta http-equiv="refresh" content="300;url=/real"><p>${paragraph}</p>`) },
  '/self': { body: page(`<meta http-equiv="refresh" content="5; url=/self"><p>SELF</p>`) },
  '/told-in-comment': { body: page(`<!-- <meta http-equiv=refresh content="0;url=/real"> --><p>STAYS</p>`) },
  '/inside': { body: '<meta http-equiv=refresh content="0;url=http://169.254.169.254/">' },
  '/round': { body: '<meta http-equiv=refresh content="0;url=/round2">' },
  '/round2': { body: '<meta http-equiv=refresh content="0;url=/round">' },
  '/real': { body: page('<p>REAL words</p>') },
  '/streamed': {
    body: page(
      `<main><!--$?--><template id="B:0"></template><p>Loading…</p><!--/$--></main><div hidden id="S:0"><p>REAL ${paragraph}</p></div><script>$RC("B:0","S:0")</script>`,
    ),
  },
};
const codings = ['UTF-8', 'none', 'aws-chunked', 'gzip;q=1'];
for (const coding of codings)
  sent[`/coding/${coding}`] = { body: page('<p>REAL</p>'), headers: { 'content-encoding': coding } };

let site: Awaited<ReturnType<typeof openSite>>;
let world: ReturnType<typeof openWorld>;
beforeAll(async () => {
  site = await openSite((request, response) => {
    const url = request.url ?? '';
    const cookie = request.headers.cookie ?? '';
    if (url === '/guarded' || url === '/seen') {
      if (!/id=1/.test(cookie)) response.writeHead(303, { location: '/login' }).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=600' })
          .end(`REAL ${cookie}`);
    } else if (url === '/login') {
      response
        .writeHead(302, {
          location: '/guarded',
          'set-cookie': ['id=1; Path=/', 'odd', 'far=1; Domain=other.test', 'top=1; Domain=test'],
        })
        .end();
    } else if (url === '/cookie-echo')
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`[${cookie}]`);
    else {
      const { body, status = 200, headers } = sent[decodeURIComponent(url)] ?? { body: '', status: 404 };
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
    }
  });
  world = openWorld({}, { lend: { web: site.web } });
});
afterAll(async () => {
  world.close();
  await site.close();
});

const get = (path: string, more = {}) => world.call('web_fetch', { url: site.url(path), ...more });

test.each([
  ['/app', /filled by a script/],
  ['/bare', /filled by a script/],
  ['/empty', /^The page holds no text\.$/],
  ['/scan.pdf', /^1 of 1 pages hold no text/],
  ['/waf', /a check that its reader is a browser/],
  ['/notes', /^Some is left out: .*aside 1.*footer 1.*full: true returns all\.$/],
  ['/cp1251', /windows-1251 is a guess/],
])('%s is told to be less than a page', async (path, wanted) => {
  const reply = await get(path);
  expect(reply.notes).toEqual(expect.arrayContaining([expect.stringMatching(wanted)]));
});

test.each(['/whole', '/declared', '/real'])('nothing is told of %s, which is all there', async (path) => {
  expect(await get(path)).not.toHaveProperty('notes');
});

test('the words for who runs no scripts, and the addresses of frames, stand in for an empty page', async () => {
  expect((await get('/app')).content).toContain('Enable JavaScript.');
  expect((await get('/iframe')).content).toContain(`[Docs](${site.url('/real')})`);
  expect((await get('/frames')).content).toContain(site.url('/nav'));
});

test('a refusal that is a challenge is said to be one', async () => {
  await expect(get('/challenge')).rejects.toMatchObject({
    code: 'upstream_error',
    suggestion: { en: expect.stringContaining('a check that its reader is a browser') },
  });
});

test('full gives what the main part leaves out', async () => {
  const main = await get('/notes');
  expect(main.content).not.toContain('ASIDE');
  const full = await get('/notes', { full: true });
  for (const words of ['ASIDE', 'FOOT', 'NAV', 'fetch()']) expect(full.content).toContain(words);
  expect(full).not.toHaveProperty('notes');
});

test.each(codings)('a page whose content-encoding is %s is read as it came', async (coding) => {
  expect((await get(`/coding/${encodeURIComponent(coding)}`)).content).toContain('REAL');
});

test('encodings that are not declared are read by their looks', async () => {
  expect((await get('/cp1251')).content).toContain(russian.trim());
});

test('an .xml.gz is what it holds, and one that unpacks to too much is nothing', async () => {
  expect((await get('/list.xml.gz')).content).toContain('<loc>REAL</loc>');
  await expect(get('/bomb.gz')).rejects.toMatchObject({ code: 'unsupported_type' });
});

test('a meta refresh is followed as a redirect is, where it leads on', async () => {
  expect(await get('/old')).toMatchObject({
    url: site.url('/real'),
    content: expect.stringContaining('REAL words'),
  });
  for (const [path, words] of [
    ['/slow', 'The keeper'],
    ['/self', 'SELF'],
    ['/told-in-comment', 'STAYS'],
  ] as const)
    expect(await get(path)).toMatchObject({ url: site.url(path), content: expect.stringContaining(words) });
  await expect(get('/inside')).rejects.toMatchObject({ code: 'denied' });
  await expect(get('/round')).rejects.toMatchObject({ code: 'upstream_error' });
});

test('a cookie that is set on the way is sent back on the way, to its own host, and then forgotten', async () => {
  expect((await get('/guarded')).content).toContain('REAL id=1\n');
  expect((await get('/cookie-echo')).content).toContain('[]');
  // What was answered to a cookie is not given to one who has none: the way is gone anew.
  expect((await get('/seen')).content).toContain('REAL id=1');
});

test('what React streams hidden stands in its place', async () => {
  const { content } = await get('/streamed');
  expect(content).toContain('REAL The keeper');
  expect(content).not.toContain('Loading');
});
