import { expect, test } from 'vitest';
import { openConsole } from './console-world.ts';

test('the operator sees the shared server, its sessions and the proxied servers that run for them', async () => {
  const id = '0f1e2d3c-4b5a-4697-8879-9a8b7c6d5e4f';
  let called = 'a1b2c3d4-0000-4000-8000-000000000000';
  const session = { client: 'claude-code 2.1<b>', folder: '/home/ada/web', sinceMs: Date.now() };
  const server = () => ({
    pid: 4711,
    bytes: 97_400_000,
    checkpoints: 1,
    conversations: 2,
    sessions: [
      { ...session, id },
      { ...session, id: called, client: '' },
    ],
    published: [
      {
        sessionId: id,
        url: 'http://s1.localhost:3000',
        port: 3000,
        command: 'vite <b>',
        sinceMs: Date.now(),
      },
    ],
    servers: [
      { name: 'github', bytes: 62_000_000, sessions: [id] },
      { name: 'far', bytes: undefined, sessions: [] },
    ],
  });
  let running = true;
  const world = await openConsole({}, { shared: async () => (running ? [server()] : []) });
  await world.send('help', {});
  const [entry] = await world.store.audit.search({ limit: 1 });
  called = entry?.sessionId ?? '';
  const cookie = await world.enter();
  const page = async (path = '/sessions') => (await world.get(path, cookie)).text();

  const english = await page();
  expect(english).toContain('Server 4711 <span class="quiet">97 MB · conversations with hooks: 2</span>');
  expect(english).toContain('claude-code 2.1&lt;b&gt;');
  expect(english).toContain('>/home/ada/web</span><span class="quiet">0f1e2d3c</span>');
  expect(english).toContain(`<a href="/sessions/${encodeURIComponent(called)}">${called.slice(0, 8)}</a>`);
  expect(english).toMatch(
    /62 MB<\/span><span class="tool">github<\/span>\s*<span class="given">proxied server, used by<\/span><span class="quiet">0f1e2d3c /,
  );
  expect(english).toMatch(
    /<a href="http:\/\/s1\.localhost:3000" target="_blank" rel="noopener noreferrer">http:\/\/s1\.localhost:3000<\/a><\/span>\s*<span class="given">vite &lt;b&gt;/,
  );
  expect(await page('/sessions?lang=ja')).toContain('サーバー 4711');
  running = false;
  expect(await page('/sessions?lang=en')).toContain('No shared server runs.');
});

test('a console that cannot tell says nothing of shared servers', async () => {
  const world = await openConsole();
  const page = await (await world.get('/sessions', await world.enter())).text();
  expect(page).not.toContain('Shared by your clients');
});
