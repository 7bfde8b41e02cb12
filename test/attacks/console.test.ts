import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type ConsoleWorld,
  launchBrowser,
  missingBrowser,
  openConsole,
  openTab,
} from '../console/console-world.ts';
import { needs } from '../support/needs.ts';
import { habitual, temporaryFile } from '../upstream/world.ts';

let browser: Browser;
beforeAll(async () => {
  if (missingBrowser === undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** Words that become code, attributes, orders to htmx or other text where a page forgets what they are. */
const hostile = [
  '<script>window.pwned=1</script>',
  '"><img src=x onerror="window.pwned=1">',
  "'><svg onload='window.pwned=1'>",
  '</pre></textarea></title><script>window.pwned=1</script>',
  '<a hx-get="/policy" hx-trigger="load" hx-on:click="window.pwned=1">x</a>',
  '" autofocus onfocus="window.pwned=1" data-hx-on:load="window.pwned=1',
  'javascript:window.pwned=1',
  '<meta http-equiv="refresh" content="0;url=/logout"><base href="//evil.example/">',
  '<style>*{display:none}</style><link rel=stylesheet href=//evil.example/x>',
  '<hx-partial hx-target="main" hx-swap="innerHTML"><h1>pwned</h1></hx-partial>',
  '<template><form action="//evil.example"><button>Allow once</button></form></template>',
  '\u202etxt.exe\u2066 \u200bhidden\u{e0041} \x1b[31mred\x1b[0m \x07\x08',
  '\n\nevent: approvals\ndata: <h1>pwned</h1>\nid: 999999\n\n',
  '&lt;script&gt; ${window.pwned=1} {{window.pwned=1}} `${1}`',
] as const;

const config = {
  toolsets: ['agent-cli' as const, 'assistant' as const, 'collaboration' as const],
  assistant: { layout: 'workspace' as const },
  rules: [
    { tool: 'file_write', decision: 'ask' as const, because: hostile[1] },
    { id: hostile[2], tool: 'nothing', decision: 'deny' as const, because: hostile[0] },
  ],
};

/** A server behind us whose tools are called and described as badly as can be, and change once they are known. */
function spyServer(file: string) {
  return { spy: habitual('none', file) };
}

function describeTools(file: string, descriptions: readonly string[]): void {
  const inputSchema = { type: 'object', properties: { [hostile[0]]: { description: hostile[1] } } };
  const tools = descriptions.map((description, place) => ({
    name: place === 0 ? 'plain' : `${description.slice(0, 40)}${place}`,
    title: description,
    description,
    inputSchema,
  }));
  writeFileSync(file, JSON.stringify(tools));
}

describe(`the console against what it shows`, needs(missingBrowser), () => {
  test('strangers’ words are words: in lists, details, questions, differences, memories, tasks and streams', async () => {
    const file = temporaryFile('tools.json');
    describeTools(file, ['Harmless.']);
    const world = await openConsole({ config: { ...config, mcpServers: spyServer(file) } });
    const upstreams = await world.checkpoint.rooms.upstreams();
    const look = () => upstreams.servers[0]?.look(new AbortController().signal);
    await look();
    describeTools(file, hostile);
    await upstreams.servers[0]?.close();
    await look()?.catch(() => {});
    const replies = await fill(world);
    const { page, complaints } = await openTab(browser, world);
    await watch(page);
    await page.waitForSelector('.question');
    // What comes by the stream while the page is open is drawn by code.
    for (const words of hostile) await world.send('file_read', { path: words });
    await page.waitForSelector('#live li:nth-child(31)');
    await assertUnharmed(page);
    for (const path of await pathsOf(world)) {
      const response = await page.goto(world.base + path);
      expect(response?.status(), path).toBe(200);
      await assertUnharmed(page, path);
    }
    for (const words of hostile.slice(0, 7)) {
      const query = encodeURIComponent(words);
      for (const path of ['/calls?text=', '/memories?query=', '/history?session=']) {
        await page.goto(world.base + path + query);
        await assertUnharmed(page, path + query);
      }
    }
    await page.goto(`${world.base}/policy`);
    for (const words of hostile.slice(0, 4)) {
      await page.fill('textarea', JSON.stringify({ tool: words, arguments: {} }));
      await page.click('main form button');
      await assertUnharmed(page, 'policy');
    }
    expect(complaints).toEqual([]);
    expect(world.faults).toEqual([]);
    for (const { id } of await world.store.approvals.list('pending', Date.now())) {
      await world.store.approvals.decide(id, 'declined', 'test', 'once', Date.now());
    }
    await Promise.all(replies);
  }, 120_000);

  test('hidden and turning characters are shown for what they are where a person decides', async () => {
    const world = await openConsole({ config });
    const reply = world.send('file_write', { path: 'a\u202etxt.exe', content: '\u200b\u{e0041}' });
    const { page } = await openTab(browser, world);
    await page.waitForSelector('.question');
    const words = await page.textContent('.question');
    expect(words).toContain('a\\u202etxt.exe');
    expect(words).toContain('\\u200b\\u{e0041}');
    expect(words).not.toMatch(/[\u202e\u200b\u{e0041}]/u);
    await page.click('.question button.no');
    await reply;
  });

  test('another site, and another port of this machine, cannot act, read or frame', async () => {
    const world = await openConsole({ config });
    const reply = world.send('file_write', { path: 'x.txt', content: 'x' });
    const { page, context } = await openTab(browser, world);
    await page.waitForSelector('.question');
    const id = await page.getAttribute('.question', 'id');
    const evil = await serveEvil(world, id ?? '');

    for (const host of ['127.0.0.1', 'localhost']) {
      const tab = await context.newPage();
      const refused: string[] = [];
      tab.on('console', (message) => refused.push(message.text()));
      await tab.goto(`http://${host}:${evil.port}/`);
      await tab.waitForFunction('document.title === "done"');
      expect(await tab.evaluate('window.results')).toEqual({
        read: 'blocked',
        post: 'blocked',
        events: 'error',
      });
      await tab.waitForLoadState('networkidle').catch(() => {});
      expect(refused.join('\n')).toContain('frame-ancestors');
      // A form that a person is tricked into sending.
      await tab.click('#trick');
      await tab.waitForLoadState();
      expect((await world.store.approvals.get(id ?? ''))?.status).toBe('pending');
    }
    const cookies = await context.cookies();
    expect(cookies.map(({ httpOnly, sameSite, domain }) => [httpOnly, sameSite, domain])).toEqual([
      [true, 'Strict', new URL(world.base).hostname],
    ]);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.bringToFront();
    await page.click('.question button.no');
    await page.waitForURL(/note=declined/);
    await reply;
  });
});

/** Names and addresses that lead to this machine. */
const nearNames = [
  '127.0.0.1',
  'localhost',
  '[::1]',
  '0.0.0.0',
  '127.77.3.9',
  'sekisho.localhost',
  's1.localhost',
];

test(
  'a program behind another port of this machine gets no cookie of a person who visits it',
  needs(missingBrowser),
  async () => {
    const world = await openConsole({ config });
    const { context } = await openTab(browser, world);
    const got: { readonly host: string; readonly how: string; readonly headers: string }[] = [];
    const page = `<!doctype html><img src="/img"><iframe src="/frame"></iframe><form method="post" action="/form"><button>x</button></form>
<script>
fetch('/fetch', { credentials: 'include' });
navigator.sendBeacon('/beacon', 'x');
new EventSource('/events', { withCredentials: true });
new WebSocket('ws://' + location.host + '/socket');
</script>`;
    const server = createServer(({ url = '', headers, rawHeaders }, response) => {
      got.push({ host: headers.host ?? '', how: url, headers: rawHeaders.join('\n') });
      response.writeHead(200, { 'content-type': 'text/html' }).end(url === '/' ? page : '');
    });
    server.on('upgrade', ({ url = '', headers, rawHeaders }, socket) => {
      got.push({ host: headers.host ?? '', how: url, headers: rawHeaders.join('\n') });
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '::', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ways = ['/', '/img', '/frame', '/fetch', '/beacon', '/events', '/socket', '/form'];

    // One tab for all: closing one sometimes hangs.
    const tab = await context.newPage();
    for (const name of nearNames) {
      const missed = () => {
        const seen = got.filter(({ host }) => host === `${name}:${port}`).map(({ how }) => how);
        return ways.filter((way) => !seen.includes(way));
      };
      await tab.goto(`http://${name}:${port}/`, { waitUntil: 'commit' });
      await expect.poll(missed, { message: name }).toEqual(['/form']);
      await tab.click('button');
      await expect.poll(missed, { message: name }).toEqual([]);
    }

    const secret = (await context.cookies())[0]?.value;
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(got.filter(({ headers }) => /cookie/i.test(headers) || headers.includes(secret ?? ''))).toEqual(
      [],
    );
    expect(got.length).toBeGreaterThanOrEqual(nearNames.length * ways.length);
  },
);

test('the console tells its name to nobody who asks at another one, and takes no session there', async () => {
  const world = await openConsole({ config });
  const cookie = await world.enter();
  const { hostname, port } = new URL(world.base);
  const code = new URL(await world.link()).search;
  const asked = async (host: string, path: string, method = 'GET') => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path,
      method,
      headers: { host: `${host}:${port}`, cookie },
    }).end();
    const [response] = await once(sent, 'response');
    let body = '';
    for await (const chunk of response) body += chunk;
    return { status: response.statusCode, words: JSON.stringify(response.rawHeaders) + body };
  };
  for (const host of nearNames) {
    for (const path of [
      '/',
      '/approvals',
      '/login',
      `/login${code}`,
      '/live',
      '/calls',
      '/history',
      '/policy',
    ]) {
      const { status, words } = await asked(host, path);
      // The first three names are served, but have no console; the others are not served at all.
      expect([421, 403], `${host}${path}`).toContain(status);
      expect(words, `${host}${path}`).not.toContain(hostname);
    }
    expect([421, 403]).toContain((await asked(host, '/login', 'POST')).status);
  }
  expect((await world.get('/approvals', cookie)).status).toBe(200);
  expect((await fetch(`${world.base}/login${code}`, { redirect: 'manual' })).status).toBe(303);
});

test('a browser that opens no other name of this machine is served at `localhost`, if the operator says so', async () => {
  const world = await openConsole({ config: { ...config, http: { console: 'localhost' } } });
  const link = await world.link();
  expect(link).toMatch(/^http:\/\/localhost:/);
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);
});

/** Puts hostile words into every field that somebody else writes. */
async function fill(world: ConsoleWorld): Promise<readonly Promise<unknown>[]> {
  for (const words of hostile) {
    await world.send('file_read', { path: words });
    await world.call(words.slice(0, 60), { [words]: words });
    await world.call('write_file', { path: `n/${fileName(words)}`, content: `${words}\n` });
    await world.call('remember', {
      content: words,
      category: words.slice(0, 40),
      tags: [words.slice(0, 20)],
    });
    await world.call(
      'file_read',
      { path: 'a' },
      {
        arrival: {
          transport: 'stdio',
          connectionId: words,
          client: { name: words, version: words },
        },
      },
    );
  }
  const team = (await world.checkpoint.team.open()).admin;
  await team.addProject({ id: 'p', name: hostile[0] });
  await team.addAgent({ id: 'a', name: hostile[1], hierarchy: 'worker', passkey: 'a passkey of length' });
  await team.assign('a', 'p');
  for (const title of hostile.slice(0, 5)) {
    await team.addTask({ projectId: 'p', title, description: hostile.join('\n'), assigneeId: 'a' });
  }
  return hostile
    .slice(0, 3)
    .map((words) => world.send('file_write', { path: `q/${fileName(words)}`, content: hostile.join('\n') }));
}

/** A name that a file can have. */
function fileName(words: string): string {
  return words.replaceAll('/', '|').replace(/\0/g, '').slice(0, 60);
}

async function pathsOf(world: ConsoleWorld): Promise<readonly string[]> {
  const { history } = world.store;
  const changes = (await history.list({ limit: 5 })).map(({ id }) => `/history/${id}`);
  const { memories } = await world.store.memoryBrowser.page('local', { limit: 14 });
  const entries = await world.store.audit.search({ limit: 12 });
  const tasks = await (await world.checkpoint.team.open()).admin.tasks({});
  return [
    ...['/', '/approvals', '/calls', '/sessions', '/history', '/memories', '/servers', '/policy'],
    '/servers/spy',
    ...changes,
    ...memories.map(({ id }) => `/memories/local/${id}`),
    ...entries.map(({ seq }) => `/calls/${seq}`),
    ...tasks.map(({ task_id }) => `/tasks/${task_id}`),
  ];
}

/** Has the page itself report what its policy stopped: nothing may even try. */
async function watch(page: Page): Promise<void> {
  const script = `window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective));`;
  await page.addInitScript(script);
  await page.reload();
}

async function assertUnharmed(page: Page, path = ''): Promise<void> {
  const found = await page.evaluate(`({
    pwned: window.pwned ?? document.querySelector('h1')?.textContent === 'pwned',
    violations: window.violations,
    foreign: [...document.querySelectorAll('main script, main style, main link, main base, main meta, main svg [onload], main [onerror], main [onfocus], main iframe, main [hx-get], main img')].map((each) => each.outerHTML.slice(0, 200)),
    forms: [...document.forms].map((form) => new URL(form.action || location.href, location.href).origin).filter((origin) => origin !== location.origin),
    ours: document.querySelector('nav a[href="/policy"]') !== null,
    hidden: /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u{e0041}\\x07\\x08\\x1b]/u.test(document.body.innerText),
  })`);
  expect(found, path).toEqual({
    pwned: false,
    violations: [],
    foreign: [],
    forms: [],
    ours: true,
    hidden: false,
  });
}

/** A page elsewhere that tries what pages elsewhere try. */
async function serveEvil(world: ConsoleWorld, id: string): Promise<{ readonly port: number }> {
  const target = world.base;
  const html = `<!doctype html><iframe src="${target}/approvals"></iframe>
<form id="f" method="post" action="${target}/approvals/${id}"><input name="answer" value="once"><input name="csrf" value="x"><button id="trick">win</button></form>
<script>
window.results = {};
(async () => {
  const outcome = (promise) => promise.then((response) => (response.type === 'opaque' ? 'blocked' : response.status), () => 'blocked');
  const read = await outcome(fetch('${target}/', { credentials: 'include' }));
  const post = await outcome(fetch('${target}/approvals/${id}', { method: 'POST', mode: 'no-cors', credentials: 'include',
    headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'answer=once&csrf=x' }));
  const events = await new Promise((resolve) => {
    const source = new EventSource('${target}/live', { withCredentials: true });
    source.onmessage = () => resolve('message');
    source.onerror = () => { source.close(); resolve('error'); };
  });
  window.results = { read, post, events };
  document.title = 'done';
})();
</script>`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}
