import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { consoleName } from '../../src/checkpoint/operating/console-name.ts';
import { type HttpServing, serveHttp } from '../../src/checkpoint/serving.ts';
import { consoleLink } from '../../src/cli/console.ts';
import { modernCall, modernHeaders, post } from '../support/clients.ts';
import { openTestCheckpoint, type World } from '../support/open-test-checkpoint.ts';

/** The first draws pages and has no window, menus and services of its own, which cost a launch more than a test does. */
const chromiumPath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

/** Why tests in a browser cannot run here, for `needs`. */
export const missingBrowser = chromiumPath === undefined ? 'no Chromium' : undefined;

/** A real Chromium. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

/** A server with its console on a free port, and everything that a test does to it. */
export async function openConsole(world: World = {}, serving: HttpServing = {}) {
  const opened = await openTestCheckpoint(world);
  const { checkpoint } = opened;
  const faults: unknown[] = [];
  const server = await serveHttp(checkpoint, {
    port: 0,
    onFault: (error) => faults.push(error),
    ...serving,
  });
  const base = `http://${consoleName(checkpoint.settings) ?? '127.0.0.1'}:${server.address.port}`;
  const store = await checkpoint.store();
  const { token } = await store.tokens.create({ user: 'ada' });
  let isOpen = true;

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await server.close();
    await opened.close();
  }
  onTestFinished(close);

  const link = () => consoleLink(checkpoint, server.address);

  return {
    ...opened,
    store,
    base,
    token,
    faults,
    link,
    close,
    /** A call as an agent makes it, with its token. */
    async send(tool: string, input: object, bearer = token) {
      const headers = { ...modernHeaders('tools/call', tool), authorization: `Bearer ${bearer}` };
      const { messages } = await post(`${base}/mcp`, modernCall(tool, input), headers);
      return messages.at(-1) as { readonly result?: { readonly structuredContent?: unknown } };
    },
    /** A session's cookie, as a browser would send it. */
    async enter(): Promise<string> {
      const response = await fetch(await link(), { redirect: 'manual' });
      return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    },
    async enterByToken(bearer: string): Promise<{ readonly status: number; readonly cookie: string }> {
      const response = await fetch(`${base}/login`, {
        method: 'POST',
        headers: { origin: base, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: bearer }),
        redirect: 'manual',
      });
      return {
        status: response.status,
        cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
      };
    },
    get: (path: string, cookie = '', headers: Readonly<Record<string, string>> = {}) =>
      fetch(base + path, { headers: { cookie, ...headers }, redirect: 'manual' }),
    /** A form of a page, sent as the page would send it. */
    async submit(path: string, cookie: string, fields: Readonly<Record<string, string>>, page = '/') {
      const csrf = csrfIn(await (await fetch(base + page, { headers: { cookie } })).text());
      return fetch(base + path, {
        method: 'POST',
        headers: { cookie, origin: base, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf, from: page, ...fields }),
        redirect: 'manual',
      });
    },
  };
}

export type ConsoleWorld = Awaited<ReturnType<typeof openConsole>>;

/** The proof that the forms of a page carry. */
export function csrfIn(page: string): string {
  return /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? '';
}

/** A tab that is logged in, with everything that it complained of. */
export async function openTab(
  browser: Browser,
  world: ConsoleWorld,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ readonly page: Page; readonly context: BrowserContext; readonly complaints: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(await world.link());
  return { page, context, complaints };
}
