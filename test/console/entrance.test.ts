import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openConsole } from './console-world.ts';

const pages = ['/', '/approvals', '/calls', '/sessions', '/history', '/memories', '/servers', '/policy'];
const inner = ['/live', '/charts', '/calls/1', '/approvals/waiting', '/history/x', '/tasks/x', '/servers/x'];

test('a link logs in once, leaves the address bar, and sets a cookie that no script and no other site has', async () => {
  const world = await openConsole();
  const link = await world.link();
  expect(link).toMatch(/^http:\/\/sekisho-[0-9a-f]{20}\.localhost:\d+\/login\?code=[\w-]{43}$/);

  const first = await fetch(link, { redirect: 'manual' });
  expect(first.status).toBe(303);
  expect(first.headers.get('location')).toBe('/');
  const port = new URL(world.base).port;
  expect(first.headers.get('set-cookie')).toMatch(
    new RegExp(`^sekisho-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
  );
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(await (await world.get('/', cookie)).text()).toContain('Calls as they happen');

  const second = await fetch(link, { redirect: 'manual' });
  expect(second.status).toBe(401);
  expect(second.headers.get('set-cookie')).toBeNull();
});

test('behind TLS the cookie is bound to the host and to TLS', async () => {
  const world = await openConsole();
  const response = await fetch(await world.link(), {
    redirect: 'manual',
    headers: { 'x-forwarded-proto': 'https' },
  });
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-sekisho=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test('what a browser fetches ahead does not use a link up', async () => {
  const world = await openConsole();
  const link = await world.link();
  expect((await fetch(link, { headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(503);
  expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(503);
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);
});

test('a session that was planted before the login is not the session after it, and is ended', async () => {
  const world = await openConsole();
  const planted = await world.enter();
  const response = await fetch(await world.link(), { headers: { cookie: planted }, redirect: 'manual' });
  const own = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(own).not.toBe(planted);
  expect((await world.get('/', planted)).status).toBe(401);
  expect((await world.get('/', own)).status).toBe(200);
  // Two cookies of one name: one of them is somebody else's.
  expect((await world.get('/', `${planted}; ${own}`)).status).toBe(401);
});

test('after ten wrong tries a minute guesses are turned away, and who has a right link or token still gets in', async () => {
  const world = await openConsole();
  const { token } = await world.store.tokens.create({ user: 'bob' });
  const guess = () => world.get(`/login?code=${'a'.repeat(43)}`);
  const statuses: number[] = [];
  for (let tries = 0; tries < 12; tries++) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect(Number((await guess()).headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await world.enterByToken('sk_wrong')).status).toBe(429);
  // Behind a proxy they all come from one address.
  expect((await world.enterByToken(token)).status).toBe(303);
  const link = await world.link();
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(429);
});

test('behind two proxies the first says what the browser spoke', async () => {
  const world = await openConsole();
  const response = await fetch(await world.link(), {
    redirect: 'manual',
    headers: { 'x-forwarded-proto': 'https, http' },
  });
  expect(response.headers.get('set-cookie')).toMatch(/^__Host-sekisho=.*; Secure$/);
});

test('an odd path is never sent on to another host', async () => {
  const world = await openConsole();
  const { hostname, port } = new URL(world.base);
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  const words = await new Promise<string>((resolve, reject) => {
    // `fetch` would tidy the path up.
    get({ hostname, port, path: '/calls/..//evil.example/', headers }, (response) => {
      text(response).then(resolve, reject);
    });
  });
  expect(words).toContain('url=/evil.example/');
  const cookie = await world.enter();
  const back = await world.submit('/history/x/undo', cookie, { from: '/.//evil.example/' });
  expect(back.headers.get('location')).toMatch(/^\/evil\.example\//);
});

test('without a login there is nothing but the login: no page, no part, no stream', async () => {
  const world = await openConsole();
  await world.send('file_read', { path: 'secret-name.txt' });
  const port = new URL(world.base).port;
  for (const cookie of ['', `sekisho-${port}=`, `sekisho-${port}=${'a'.repeat(43)}`, 'sekisho=x']) {
    for (const path of [...pages, ...inner]) {
      const response = await world.get(path, cookie);
      const words = await response.text();
      expect(response.status, path).toBe(401);
      expect(words, path).toContain('name="token"');
      expect(words, path).not.toContain('secret-name');
    }
  }
  expect((await fetch(`${world.base}/approvals/x`, { method: 'POST' })).status).toBe(401);
});

test('logging out ends the session here and everywhere', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  const response = await world.submit('/logout', cookie, {});
  expect(await response.text()).toContain('You are logged out.');
  expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await world.get('/', cookie)).status).toBe(401);
});

test('every answer forbids frames, inline code and foreign content, and is kept by nobody', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  for (const path of [...pages, '/calls/999', '/nothing-here', '/login', '/live']) {
    const stop = new AbortController();
    const { headers } = await fetch(world.base + path, { headers: { cookie }, signal: stop.signal });
    stop.abort();
    if (path === '/nothing-here') continue;
    expect(headers.get('content-security-policy'), path).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('x-frame-options'), path).toBe('DENY');
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('referrer-policy'), path).toBe('same-origin');
    expect(headers.get('cache-control'), path).toBe('no-store');
  }
});

test('whoever followed a link on another site sees the console, not a login', async () => {
  const world = await openConsole();
  // fetch would say for itself what kind of request this is.
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  const words = await new Promise<string>((resolve, reject) => {
    get(`${world.base}/calls?tool=x`, { headers }, (response) => resolve(text(response))).on('error', reject);
  });
  expect(words).toContain('content="0;url=/calls?tool=x"');
  expect(words).not.toContain('token');
});

test('a login is recorded, with the address it came from', async () => {
  const world = await openConsole();
  await world.enter();
  const [entry] = await world.store.audit.search({ limit: 1, newestFirst: true });
  expect(entry).toMatchObject({
    tool: 'sekisho console',
    transport: 'console',
    principal: expect.stringMatching(/^console:/),
    facts: { address: '127.0.0.1', operator: true },
  });
});

test('switched off, there is no console', async () => {
  const world = await openConsole({ config: { http: { console: false } } });
  for (const path of ['/', '/login', '/live', '/calls']) expect((await world.get(path)).status).toBe(404);
});

test('nothing of the console is on the way of other requests', async () => {
  const world = await openConsole();
  expect((await world.get('/healthz')).status).toBe(200);
  expect((await world.get('/mcp')).status).toBe(401);
  expect((await world.get('//evil.example/')).status).toBe(404);
  expect((await world.get('/robots.txt')).status).toBe(404);
});
