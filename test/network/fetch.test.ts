import { expect, test } from 'vitest';
import { openSite } from './site.ts';

const signal = new AbortController().signal;

test('a page that says so is not asked for twice, and one that changed is asked whether it did', async () => {
  let asked = 0;
  let nowMs = Date.parse('2026-02-21T00:00:00Z');
  const site = await openSite(
    (request, response) => {
      asked++;
      if (request.headers['if-none-match'] === '"v1"')
        response.writeHead(304, { 'cache-control': 'max-age=60' }).end();
      else response.writeHead(200, { etag: '"v1"', 'cache-control': 'max-age=60' }).end('body');
    },
    { now: () => nowMs },
  );
  expect((await site.get('/')).fromCache).toBe(false);
  expect((await site.get('/#part')).fromCache).toBe(true);
  expect(asked).toBe(1);
  nowMs += 61_000;
  const revalidated = await site.get('/');
  expect(revalidated).toMatchObject({ fromCache: true, status: 200 });
  expect(revalidated.body.toString()).toBe('body');
  expect(asked).toBe(2);
  expect((await site.get('/')).fromCache).toBe(true);
  expect(asked).toBe(2);
  await site.close();
});

test.each([
  [{}, 2],
  [{ 'cache-control': 'no-store' }, 2],
  [{ 'cache-control': 'private, max-age=600' }, 2],
  [{ 'cache-control': 'no-cache, max-age=600' }, 2],
  [{ 'cache-control': 'max-age=0' }, 2],
  [{ 'cache-control': 'max-age=600', age: '600' }, 2],
  [{ 'cache-control': 'max-age=600', vary: '*' }, 2],
  [{ 'cache-control': 'max-age=600' }, 1],
  [{ 'cache-control': 'Max-Age="600"' }, 1],
  [{ expires: 'Sat, 21 Feb 2026 01:00:00 GMT' }, 1],
  [{ expires: '0' }, 2],
])('with %j two fetches make %i requests', async (headers, requests) => {
  let asked = 0;
  const site = await openSite(
    (_request, response) => {
      asked++;
      response.writeHead(200, headers as Record<string, string>).end('body');
    },
    { now: () => Date.parse('2026-02-21T00:00:00Z') },
  );
  await site.get('/');
  await site.get('/');
  expect(asked).toBe(requests);
  await site.close();
});

test('reading on takes the same copy, behind a redirect too, whatever the server said', async () => {
  let asked = 0;
  const site = await openSite((request, response) => {
    if (request.url === '/old') response.writeHead(302, { location: '/new' }).end();
    else response.writeHead(200, { 'cache-control': 'no-store' }).end(`body ${asked++}`);
  });
  const first = await site.web.fetch(site.url('/old'), signal);
  const again = await site.web.fetch(site.url('/old'), signal, { reuseMs: 60_000 });
  expect(again.body.toString()).toBe(first.body.toString());
  expect(again.url).toBe(first.url);
  expect((await site.web.fetch(site.url('/old'), signal)).body.toString()).toBe('body 1');
  await site.close();
});

test('the cache is bounded: old pages make room', async () => {
  const asked = new Map<string, number>();
  const site = await openSite(
    (request, response) => {
      const path = request.url ?? '';
      asked.set(path, (asked.get(path) ?? 0) + 1);
      response.writeHead(200, { 'cache-control': 'max-age=600' }).end('x'.repeat(1000));
    },
    { cacheBytes: 3500 },
  );
  for (const path of ['/1', '/2', '/3', '/4', '/4', '/3', '/2', '/1']) await site.get(path);
  expect(Object.fromEntries(asked)).toEqual({ '/1': 2, '/2': 1, '/3': 1, '/4': 1 });
  await site.close();
});

test('robots.txt is heeded where the operator wants it, by our own name', async () => {
  const asked: string[] = [];
  const site = await openSite(
    (request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/robots.txt') response.end('User-agent: Sekisho\nDisallow: /private/\n');
      else response.end('body');
    },
    { robots: true, userAgent: 'Sekisho/1.0 (+https://example.com)' },
  );
  expect((await site.get('/open')).body.toString()).toBe('body');
  await expect(site.get('/private/x')).rejects.toMatchObject({ code: 'denied' });
  expect(asked).toEqual(['/robots.txt', '/open']);
  await site.close();
});

test.each([
  [404, 'ok'],
  [503, 'denied'],
])('a robots.txt that answers %i makes a page %s', async (status, outcome) => {
  const site = await openSite(
    (request, response) => response.writeHead(request.url === '/robots.txt' ? status : 200).end('body'),
    { robots: true },
  );
  const got = await site.get('/').then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
  expect(got).toBe(outcome);
  await site.close();
});

test('one GET is sent, with our name, no cookies, and the host that was asked for', async () => {
  const seen: unknown[] = [];
  const site = await openSite(
    ({ method, headers }, response) => {
      seen.push([
        method,
        headers.host?.split(':')[0],
        headers['user-agent'],
        headers.cookie,
        headers.referer,
      ]);
      response.writeHead(200, { 'set-cookie': 'a=b' }).end();
    },
    { userAgent: 'Sekisho/9' },
  );
  await site.get('/');
  await site.get('/');
  expect(seen).toEqual([
    ['GET', 'site.test', 'Sekisho/9', undefined, undefined],
    ['GET', 'site.test', 'Sekisho/9', undefined, undefined],
  ]);
  await site.close();
});

test('many fetches take turns, and none is lost; one who leaves the queue gives up its turn', async () => {
  let atOnce = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const site = await openSite((request, response) => {
    most = Math.max(most, ++atOnce);
    held.push(() => {
      atOnce--;
      response.end(request.url);
    });
  });
  const leaving = new AbortController();
  const fetches = Array.from({ length: 40 }, (_, index) =>
    site.get(`/${index}`, index === 30 ? leaving.signal : undefined).then(
      (page) => page.body.toString(),
      (error: { code: string }) => error.code,
    ),
  );
  await expect.poll(() => held.length).toBe(16);
  leaving.abort();
  const timer = setInterval(() => held.shift()?.(), 1);
  const bodies = await Promise.all(fetches);
  clearInterval(timer);
  expect(most).toBe(16);
  expect(bodies).toEqual(bodies.map((_, index) => (index === 30 ? 'cancelled' : `/${index}`)));
  await site.close();
});
