import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, missingBrowser, openConsole } from '../console/console-world.ts';
import { needs } from '../support/needs.ts';
import { createPushBrowser, openReceiver } from './receivers.ts';

let browser: Browser;
beforeAll(async () => {
  if (missingBrowser === undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const isLong = process.env.SEKISHO_HAMMER === '1';
/** Every size, theme and language where somebody has the time; two of them otherwise. */
const looks = [360, 768, 1280]
  .flatMap((width) => (['dark', 'light'] as const).map((theme) => [width, theme] as const))
  .flatMap(([width, theme]) => (['ja', 'en'] as const).map((lang) => [width, theme, lang] as const))
  .filter((_, index) => isLong || index === 0 || index === 11);

/** A phone with the console, logged in by the link, with an authenticator whose owner always unlocks it. */
async function openPhone(width = 360) {
  const service = await openReceiver();
  const world = await openConsole({
    config: {
      rules: ['file_write', 'file_read'].map((tool) => ({
        tool,
        decision: 'ask' as const,
        because: 'Writing is looked at.',
      })),
      notify: { everyMs: 1000, pushServices: [service.url] },
    },
  });
  const base = world.base;
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
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const phone = createPushBrowser(service.url);
  // No push service of a browser can be reached from a test: what it would hand out comes from ours.
  await context.addInitScript((subscription) => {
    const { PushManager } = globalThis as unknown as { PushManager: { prototype: object } };
    Object.assign(PushManager.prototype, { subscribe: async () => ({ toJSON: () => subscription }) });
  }, phone.subscription);
  await page.goto(await world.link());
  return { world, base, context, page, complaints, devtools, authenticatorId, phone, service };
}

/** What on a page can be pressed or filled in and is not reached by Tab, or does not show that it is. */
async function beyondKeyboard(page: Page): Promise<readonly string[]> {
  const controls = (await page.evaluate(`(() => {
    const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')];
    const shown = all.filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled);
    // Of a group of radio buttons Tab reaches one, and arrows the others.
    const stops = shown.filter((each) => each.type !== 'radio' || each.checked);
    stops.forEach((each, at) => { each.dataset.stop = String(at); });
    document.activeElement?.blur();
    return stops.map((each) => each.outerHTML.slice(0, 120));
  })()`)) as readonly string[];
  const found = new Map(controls.map((html, at) => [String(at), html]));
  for (let key = 0; key < controls.length + 10 && found.size > 0; key++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(`(() => {
      const at = document.activeElement;
      const { outlineStyle, boxShadow } = getComputedStyle(at);
      return outlineStyle === 'none' && boxShadow === 'none' ? '' : at.dataset.stop ?? '';
    })()`);
    found.delete(String(stop));
  }
  return [...found.values()];
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

describe(`on a phone`, needs(missingBrowser), () => {
  test('a passkey and a subscription, a push, two taps and the call runs; no other device can answer', async () => {
    const { world, base, context, page, complaints, devtools, authenticatorId, phone, service } =
      await openPhone();
    await page.goto(`${base}/notices`);
    await page.fill('[data-passkey] input[name=label]', 'My phone');
    await page.click('text=Register a passkey');
    await page.waitForSelector('[role=status]:has-text("The passkey is registered.")');
    await page.click('text=Notify me on this device');
    await page.waitForSelector('[role=status]:has-text("gets notices of questions from now on")');
    await context.clearCookies();

    const call = world.send('file_write', { path: 'yes.txt', content: 'yes' });
    const pushed = phone.decrypt((await service.nth(1)).body) as { link: string };
    await page.goto(base + pushed.link);
    expect(await page.textContent('.question pre')).toContain('yes.txt');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.click('.question button.yes');
    await page.waitForSelector('[role=status]:has-text("Allowed: the waiting call continues.")');
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

    // Two alike are one card, whose yes is reached by keyboard and signed once for both.
    const pair = ['p.txt', 'q.txt'].map((path) => world.send('file_write', { path, content: 'x' }));
    await page.goto(`${base}/approvals`);
    await page.waitForSelector('.alike');
    await page.keyboard.press('Tab');
    const yes = 'document.activeElement.matches(".alike > .question button.yes")';
    for (let key = 0; key < 60 && !(await page.evaluate(yes)); key++) await page.keyboard.press('Tab');
    expect(await page.evaluate(yes)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=status]:has-text("Allowed")');
    for (const call of pair) expect(JSON.stringify(await call)).toContain('"success":true');
    expect(complaints.filter((words) => !words.includes('401'))).toEqual([]);
    await context.close();
  });

  test.each(looks)(
    'at %i px, %s, in %s: no page overflows, all is reached by keyboard, and axe finds nothing',
    async (width, colorScheme, lang) => {
      const { world, base, context, page } = await openPhone(width);
      await page.emulateMedia({ colorScheme });
      // A yes that stands, and a session with a story.
      const read = world.send('file_read', { path: 'a.txt' });
      const standing = await until(async () => (await world.store.approvals.list('pending', Date.now()))[0]);
      const person = { name: 'cli:a', principal: 'local', isOperator: true, face: 'cli' } as const;
      const acts = (await world.checkpoint.operator()).as(person);
      await acts.answer(standing.id, { decision: 'approved', scope: 'always' });
      await read;
      const call = world.send('file_write', { path: `${'long/'.repeat(30)}a.txt`, content: 'a' });
      const record = await until(async () => (await world.store.approvals.list('pending', Date.now()))[0]);
      const secret = await world.store.notices.createLink({
        kind: 'view',
        channel: 'push',
        expiresAtMs: Date.now() + 60_000,
        questions: [{ id: record.id, digest: record.digest }],
      });
      await world.checkpoint.notices.test('push');
      const found: string[] = [];
      const session = `/sessions/${encodeURIComponent(record.sessionId)}`;
      const pages = [
        ...[
          '/',
          '/notices',
          '/approvals',
          '/calls',
          '/calls/1',
          '/sessions',
          session,
          '/history',
          '/memories',
        ],
        ...['/servers', '/policy', `/q/${secret}`, '/login'],
      ];
      // Where somebody answers; all others too where there is time.
      const byKeyboard = new Set(['/notices', '/approvals', `/q/${secret}`, '/login']);
      for (const path of pages) {
        await page.goto(`${base}${path}?lang=${lang}`);
        if (path === '/approvals') expect(await page.locator('form[action$="/revoke"]').count()).toBe(1);
        for (const each of await violations(page)) found.push(`${path}: ${each}`);
        if (isLong || byKeyboard.has(path)) {
          for (const each of await beyondKeyboard(page)) found.push(`${path}, by keyboard: ${each}`);
        }
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
