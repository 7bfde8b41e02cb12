import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, missingBrowser, openConsole, openTab } from '../console/console-world.ts';
import { freePort } from '../publish/world.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

let browser: Browser;
beforeAll(async () => {
  if (missingBrowser === undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** A server of an agent that wants the person's console: it keeps what it gets, and its page tries what pages can. */
const thief = `
const { appendFileSync } = require('node:fs');
require('node:http').createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    appendFileSync('loot.txt', JSON.stringify([request.url, request.rawHeaders, body]) + '\\n');
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>here</title>');
  });
}).listen(Number(process.argv[2]), '127.0.0.1');`;

/** What a published page does against the console at an address. Everything that it reads is brought home. */
const tries: Readonly<Record<string, string>> = {
  read: `fetch(console + 'approvals', { credentials: 'include' }).then((answer) => answer.text())`,
  blind: `fetch(console + 'approvals', { credentials: 'include', mode: 'no-cors' }).then((answer) => answer.text())`,
  post: `fetch(console + 'approvals/1', { method: 'POST', credentials: 'include', body: new URLSearchParams({ answer: 'once' }) }).then((answer) => answer.text())`,
  events: `new Promise((resolve, reject) => { const stream = new EventSource(console + 'live?after=0', { withCredentials: true }); stream.onmessage = ({ data }) => resolve(data); stream.onerror = reject; })`,
  frame: `new Promise((resolve, reject) => { const frame = document.createElement('iframe'); frame.src = console; frame.onload = () => { try { resolve(frame.contentDocument.body.innerText) } catch (error) { reject(error) } }; document.body.append(frame); })`,
  window: `new Promise((resolve, reject) => { const opened = window.open(console); setTimeout(() => { try { resolve(opened.document.body.innerText) } catch (error) { reject(error) } }, 300); })`,
};

describe('what an agent publishes', needs(missingBrowser, sandbox('bubblewrap'), programs('curl')), () => {
  test('gets no cookie, header or answer of the console, at any name and address of the loopback', async () => {
    const port = await freePort();
    const world = await openConsole({
      config: {
        toolsets: ['assistant'],
        assistant: { layout: 'workspace' },
        process: { publish: [port] },
        rules: [{ effect: { kind: ['listen'], sends: `localhost:${port}` }, then: 'allow' }],
      },
      files: { 'thief.cjs': thief, 'loot.txt': '' },
    });
    await world.send('bash', { command: `node thief.cjs ${port}`, background: true });
    const commands = await world.checkpoint.rooms.commands();
    await expect.poll(() => commands.published()).toHaveLength(1);
    const session = new URL(commands.published()[0]?.url ?? '').hostname;
    const { page, context } = await openTab(browser, world);
    await page.goto(`${world.base}/approvals?lang=ja`);
    const [cookie] = (await context.cookies()).filter(({ name }) => /^sekisho-\d/.test(name));
    expect(cookie?.value).toMatch(/.{20}/);
    const own = new URL(world.base);
    const loot = () => readFileSync(join(world.root, 'loot.txt'), 'utf8');
    const elsewhere = [
      'localhost',
      '127.0.0.1',
      '[::1]',
      session,
      's1.localhost',
      's2.localhost',
      'sekisho.localhost',
    ];
    const names = [
      ...elsewhere,
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '127.1',
      '2130706433',
      'localhost.',
      own.hostname,
      `${own.hostname}.`,
      own.hostname.toUpperCase(),
      hostname(),
    ];
    let tried = 0;
    let reached = 0;

    // The person opens it, or is led there by another page.
    const lure = async (name: string) => {
      // It stays open: a browser does not always answer when a tab is closed.
      const tab = await context.newPage();
      for (const way of ['cookie', 'typed', 'link', 'form'] as const) {
        tried += 1;
        const url = `http://${name}:${port}/${way}?${encodeURIComponent(name)}`;
        // First, an answer that the console is made to give may set a cookie of the language there.
        if (way === 'cookie') await soon(tab.goto(`http://${name}:${own.port}/?lang=en`));
        const isLed = way === 'link' || way === 'form';
        const answer = await soon(isLed ? leave(tab, way, url) : tab.goto(url));
        if (answer && (await soon(tab.title())) === 'here') reached += 1;
      }
    };
    await Promise.all(names.map(lure));

    // A published page turns against the console at each of its names.
    const stolen: string[] = [];
    const turn = async (name: string, to: string) => {
      const tab = await context.newPage();
      await tab.goto(`http://${name}:${port}/page`);
      const attempts = Object.entries(tries).map(async ([what, code]) => {
        tried += 1;
        const work = `(() => { const console = 'http://${to}:${own.port}/'; return ${code}; })()`;
        const read = await tab
          .evaluate(`Promise.race([${work}, new Promise((_, no) => setTimeout(no, 3000))])`)
          .catch(() => '');
        if (typeof read === 'string' && read !== '') stolen.push(`${what} ${name} ${to}: ${read}`);
      });
      await Promise.all(attempts);
    };
    const pairs = ['localhost', session, '127.0.0.1'].flatMap((name) =>
      [own.hostname, 'localhost', '127.0.0.1'].map((to) => turn(name, to)),
    );
    await Promise.all(pairs);

    // Without a browser: other spellings of the console's name in the greeting of HTTP, and of TLS.
    for (const name of names) {
      tried += 1;
      const args = ['-s', '-m', '10', '-H', `Host: ${name}:${own.port}`, `http://127.0.0.1:${port}/raw`];
      const { stdout } = await curl([...args, '-H', 'X-From: curl']);
      if (!/^$|here/.test(stdout)) stolen.push(`raw ${name}: ${stdout}`);
    }
    const tls = await curl([
      '-sk',
      '-m',
      '10',
      '--connect-to',
      `::127.0.0.1:${port}`,
      `https://${own.hostname}:${port}/`,
    ]);
    expect(tls.code).toBeGreaterThan(0);

    expect(tried).toBeGreaterThanOrEqual(60);
    expect(stolen).toEqual([]);
    // The tries were real: most names led there, and the console's led nowhere.
    expect(reached).toBeGreaterThan(20);
    expect(loot()).toContain('/typed?localhost');
    expect(loot().toLowerCase()).not.toContain('"cookie"');
    expect(loot()).not.toContain(cookie?.value);
    expect(loot().toLowerCase()).not.toContain(own.hostname);
    expect(world.faults).toEqual([]);
  }, 180_000);
});

/** A browser waits long for a page that was reset. */
function soon<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, sleep(6000, undefined)]).catch(() => undefined);
}

/** Leads the page away as a link or a form of a page at another name would. */
async function leave(page: Page, way: 'link' | 'form', to: string) {
  await page.goto('data:text/html,<title>away</title>');
  const [left] = await Promise.all([
    page.waitForNavigation({ timeout: 5000 }),
    page.evaluate(
      way === 'link'
        ? `location.href = ${JSON.stringify(to)}`
        : `document.body.innerHTML = '<form method="post" action="${to}"><input name="x" value="y"></form>', document.forms[0].submit()`,
    ),
  ]);
  return left;
}

function curl(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  return new Promise((resolve) => {
    execFile('curl', args, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }));
  });
}
