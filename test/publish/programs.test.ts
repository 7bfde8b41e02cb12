import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, missingBrowser } from '../console/console-world.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { freePort, openCommands } from './world.ts';

let browser: Browser;
beforeAll(async () => {
  if (missingBrowser === undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js');
const python = '/usr/bin/python3';
const hasFlask = spawnSync(python, ['-c', 'import flask']).status === 0;

describe('a real browser opens by its session’s name', needs(missingBrowser, sandbox('bubblewrap')), () => {
  test('vite, whose page changes while it is open', async () => {
    const main = (word: string) => `
      document.querySelector('h1').textContent = '${word}';
      import.meta.hot.accept();`;
    const world = openCommands({
      'package.json': '{"type": "module"}',
      'index.html': '<!doctype html><h1></h1><script type="module" src="/main.js"></script>',
      'main.js': main('before'),
    });
    const port = await freePort();
    const command = await world.start(`node ${vite} --port ${port} --strictPort`);
    const page = await browser.newPage();
    await page.goto(await world.url(port));
    await page.waitForSelector('h1:has-text("before")');
    await page.evaluate('globalThis.isSame = true');
    writeFileSync(join(world.root, 'main.js'), main('after'));
    await page.waitForSelector('h1:has-text("after")');
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
    await page.goto(`http://localhost:${port}`);
    await page.waitForSelector('h1:has-text("after")');
    expect(command.read().text).not.toMatch(/blocked|not allowed/i);
  });

  test(
    'flask, with its debugger, redirects and cookies',
    needs(hasFlask ? undefined : 'no python3-flask'),
    async () => {
      const world = openCommands({
        'app.py': `from flask import Flask, redirect, request, session, url_for
app = Flask(__name__)
app.secret_key = 'test'
@app.route('/')
def start():
    session['seen'] = 'yes'
    return redirect(url_for('shown', _external=True))
@app.route('/shown')
def shown():
    return '<h1>' + session['seen'] + ' ' + request.host + '</h1>'
`,
      });
      const port = await freePort();
      await world.start(`${python} -m flask --app app --debug run --port ${port}`);
      const page = await browser.newPage();
      await page.goto(await world.url(port));
      expect(page.url()).toBe(`${await world.url(port)}/shown`);
      expect(await page.textContent('h1')).toBe(`yes ${new URL(page.url()).host}`);
    },
  );

  test('php -S', needs(programs('php')), async () => {
    const world = openCommands({ 'index.php': '<h1><?= $_SERVER["HTTP_HOST"] ?></h1>' });
    const port = await freePort();
    await world.start(`php -S localhost:${port}`);
    const page = await browser.newPage();
    await page.goto(await world.url(port));
    expect(await page.textContent('h1')).toBe(new URL(await world.url(port)).host);
  });

  test('what also gets the cookies of other servers there at localhost has none of them at its session’s name', async () => {
    const world = openCommands({
      'a.cjs':
        "require('node:http').createServer((request, response) => response.end(`cookies: ${request.headers.cookie}`)).listen(Number(process.argv[2]));",
    });
    const port = await freePort();
    await world.start(`node a.cjs ${port}`);
    await world.url(port);
    const context = await browser.newContext();
    await context.addCookies([{ name: 'other', value: 'server', url: 'http://localhost:8888' }]);
    const page = await context.newPage();
    await page.goto(`http://localhost:${port}`);
    expect(await page.textContent('body')).toBe('cookies: other=server');
    await page.goto(await world.url(port));
    expect(await page.textContent('body')).toBe('cookies: undefined');
    await context.close();
  });
});
