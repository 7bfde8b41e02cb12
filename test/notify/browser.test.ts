import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, missingBrowser, openConsole } from '../console/console-world.ts';
import { createPushBrowser, openReceiver } from './receivers.ts';

let browser: Browser;
beforeAll(async () => {
  if (missingBrowser === '') browser = await launchBrowser();
});
afterAll(() => browser?.close());

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A phone with the console, logged in by the link, with an authenticator whose owner always unlocks it. */
async function openPhone(width = 360) {
  const service = await openReceiver();
  const world = await openConsole({
    config: {
      rules: [{ tool: 'file_write', decision: 'ask', because: 'Writing is looked at.' }],
      notify: { everyMs: 1000, pushServices: [service.url] },
    },
  });
  const base = world.base.replace('127.0.0.1', 'localhost');
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width, height: 740 } });
  await context.grantPermissions(['notifications'], { origin: base });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  const phone = createPushBrowser(service.url);
  // No push service of a browser can be reached from a test: what it would hand out comes from ours.
  await context.addInitScript((subscription) => {
    const { PushManager } = globalThis as unknown as { PushManager: { prototype: object } };
    Object.assign(PushManager.prototype, { subscribe: async () => ({ toJSON: () => subscription }) });
  }, phone.subscription);
  await page.goto((await world.link()).replace('127.0.0.1', 'localhost'));
  return { world, base, context, page, complaints, devtools, authenticatorId, phone, service };
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

describe.skipIf(missingBrowser !== '')(`on a phone${missingBrowser}`, () => {
  test('a passkey and a subscription, a push, two taps and the call runs; no other device can answer', async () => {
    const { world, base, context, page, complaints, devtools, authenticatorId, phone, service } =
      await openPhone();
    await page.goto(`${base}/notices`);
    await page.fill('[data-passkey] input[name=label]', 'My phone');
    await page.click('text=Register a passkey');
    await page.waitForSelector('[role=status]:has-text("The passkey is registered.")');
    await page.click('text=Notify me on this device');
    await page.waitForSelector('[role=status]:has-text("told of questions from now on")');
    await context.clearCookies();

    const call = world.send('file_write', { path: 'yes.txt', content: 'yes' });
    const pushed = phone.decrypt((await service.nth(1)).body) as { link: string };
    await page.goto(base + pushed.link);
    expect(await page.textContent('.question pre')).toContain('yes.txt');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.click('.question button.yes');
    await page.waitForSelector('[role=status]:has-text("Allowed: the call that waited goes on.")');
    expect(JSON.stringify(await call)).toContain('"success":true');
    expect(readFileSync(join(world.root, 'yes.txt'), 'utf8')).toBe('yes');

    const denied = world.send('file_write', { path: 'no.txt', content: 'no' });
    const next = phone.decrypt((await service.nth(2)).body) as { link: string };
    await page.goto(base + next.link);
    // Whose owner does not unlock it answers nothing.
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.click('.question button.yes');
    await page.waitForSelector('[role=alert]:has-text("Not answered")');
    expect(await world.store.approvals.list('pending', Date.now())).toHaveLength(1);
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.focus('.question button.no');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=status]:has-text("Denied.")');
    expect(JSON.stringify(await denied)).toContain('"denied"');

    await page.goto(`${base}/login`);
    await page.click('text=Log in with a passkey');
    await page.waitForSelector('h1:has-text("Overview")');
    const acts = await world.store.audit.search({ tool: 'sekisho approve', limit: 5 });
    expect(acts.map(({ outcome, transport }) => [outcome, transport])).toEqual([
      ['ok', 'console'],
      ['ok', 'console'],
    ]);
    expect(complaints.filter((words) => !words.includes('401'))).toEqual([]);
    await context.close();
  });

  test.each([
    [360, 'dark', 'ja'],
    [768, 'light', 'en'],
    [1280, 'dark', 'en'],
    [360, 'light', 'ja'],
  ] as const)(
    'at %i px, %s, in %s: no page overflows, and axe finds nothing',
    async (width, colorScheme, lang) => {
      const { world, base, context, page } = await openPhone(width);
      await page.emulateMedia({ colorScheme });
      const call = world.send('file_write', { path: `${'long/'.repeat(30)}a.txt`, content: 'a' });
      const record = await until(async () => (await world.store.approvals.list('pending', Date.now()))[0]);
      const secret = await world.store.notices.createLink({
        ...{ kind: 'view', channel: 'push', expiresAtMs: Date.now() + 60_000 },
        questions: [{ id: record.id, digest: record.digest }],
      });
      await world.checkpoint.notices.test('push');
      const found: string[] = [];
      for (const path of ['/notices', '/approvals', `/q/${secret}`, '/login']) {
        await page.goto(`${base}${path}?lang=${lang}`);
        for (const each of await violations(page)) found.push(`${path}: ${each}`);
        if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))) {
          found.push(`${path} overflows`);
        }
      }
      expect(found).toEqual([]);
      const shots = process.env.SEKISHO_SHOTS;
      if (shots !== undefined) {
        for (const path of ['/notices', `/q/${secret}`]) {
          await page.goto(`${base}${path}?lang=${lang}`);
          await page.screenshot({
            path: join(shots, `${path.split('/')[1]}-${width}-${colorScheme}-${lang}.png`),
            fullPage: true,
          });
        }
      }
      await world.store.approvals.decide(record.id, 'declined', 'cli:a', 'once', Date.now());
      await call;
      await context.close();
    },
  );
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
