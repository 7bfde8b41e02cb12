import { request } from 'node:http';
import { expect, test } from 'vitest';
import { openConsole } from './console-world.ts';

test('odd addresses and fields are answered, and none is a fault', async () => {
  const world = await openConsole({
    files: { 'a.txt': 'a' },
    config: { toolsets: ['agent-cli', 'assistant'] },
  });
  await world.send('file_read', { path: 'a.txt' });
  const { memory } = await world.store
    .memoriesFor('local')
    .remember({ content: 'kept', category: 'x', tags: [] });
  const cookie = await world.enter();
  const odd = [
    '%00',
    '%E0%A4%A',
    '%',
    '..%2f..',
    '%ff%fe',
    'x'.repeat(8000),
    '-1',
    '0',
    '1e400',
    'NaN',
    '%0d%0a',
  ];
  const paths = odd.flatMap((each) => [
    `/calls/${each}`,
    `/calls?text=${each}&tool=${each}&principal=${each}&outcome=${each}&since=${each}&before=${each}`,
    `/history/${each}`,
    `/history?session=${each}&before=${each}`,
    `/memories?owner=${each}&query=${each}&before=${each}`,
    `/memories/${each}/${each}`,
    `/servers/${each}`,
    `/tasks/${each}`,
    `/console-assets/x/${each}`,
    `/?span=${each}&lang=${each}&note=${each}`,
    `/?note=constructor&lang=__proto__&x=${each}`,
  ]);
  for (const path of paths) {
    const response = await world.get(path, cookie);
    await response.body?.cancel();
    expect(response.status, path.slice(0, 100)).toBeLessThan(500);
  }
  for (const each of ['\0', '\r\n', '\ud800', '__proto__', '{"tool":"file_read","arguments":null}', '[1]']) {
    for (const path of ['/policy', '/approvals/x', `/memories/local/${memory.id}`, '/servers/x/approve']) {
      const fields = { call: each, answer: each, content: each, digest: each, category: each, tags: each };
      const response = await world.submit(path, cookie, fields);
      expect(response.status, `${path} ${JSON.stringify(each)}`).toBeLessThan(500);
    }
  }
  expect(world.faults).toEqual([]);
});

test('only files that the pages name are handed out', async () => {
  const world = await openConsole();
  const page = await (await world.get('/login')).text();
  const assets = [...page.matchAll(/"(\/console-assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(assets.length).toBeGreaterThanOrEqual(4);
  for (const path of assets) {
    const { status, headers } = await world.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
  for (const name of [
    '../app.ts',
    '..%2fapp.ts',
    '..%2f..%2f..%2fpackage.json',
    'constructor',
    '__proto__',
    '',
  ]) {
    expect((await world.get(`/console-assets/x/${name}`)).status, name).toBeGreaterThanOrEqual(400);
  }
});

test('a client that hangs up in the middle of a form, or sends no end of it, changes nothing', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  const { port } = new URL(world.base);
  for (const cut of [true, false]) {
    await new Promise<void>((resolve) => {
      const headers = {
        cookie,
        origin: world.base,
        'content-type': 'application/x-www-form-urlencoded',
        ...(cut ? { 'content-length': '100000' } : {}),
      };
      const sent = request({ port, host: '127.0.0.1', path: '/policy', method: 'POST', headers });
      sent.on('error', () => resolve());
      sent.on('close', () => resolve());
      sent.on('response', (response) => response.resume());
      if (cut) {
        sent.write('csrf=');
        setTimeout(() => sent.destroy(), 50);
        return;
      }
      const more = () => {
        while (!sent.destroyed && sent.write('x'.repeat(65_536)));
      };
      sent.on('drain', more);
      more();
    });
  }
  expect((await world.get('/', cookie)).status).toBe(200);
  expect(world.faults).toEqual([]);
});

test('a form that cannot be read is refused, and fills nobody’s log', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  for (const path of ['/login', '/logout', '/policy', '/approvals/x']) {
    const response = await fetch(world.base + path, {
      method: 'POST',
      headers: { cookie, origin: world.base, 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\n',
    });
    expect(response.status, path).toBe(400);
    expect(response.headers.get('content-security-policy'), path).toContain("default-src 'none'");
  }
  expect(world.faults).toEqual([]);
});
