import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { launchBrowser, missingBrowser, openConsole, openTab } from './console-world.ts';

let browser: Browser;
beforeAll(async () => {
  if (missingBrowser === undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

const config = {
  toolsets: ['agent-cli' as const, 'assistant' as const],
  assistant: { layout: 'workspace' as const },
  rules: [{ tool: 'file_write', decision: 'ask' as const, because: 'Writing is looked at.' }],
};

describe(`for everybody`, needs(missingBrowser), () => {
  test('by keyboard alone: pages, lists, search, and an answer that takes two keys', async () => {
    const world = await openConsole({ config, files: { 'a.txt': 'a' } });
    await world.send('file_read', { path: 'a.txt' });
    const { page } = await openTab(browser, world);
    const reply = world.send('file_write', { path: 'keys.txt', content: 'k' });
    await page.waitForSelector('.question');
    await page.keyboard.press('a');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Allow once');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    expect(await world.store.approvals.list('pending', Date.now())).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=status]:has-text("Allowed:")');
    await reply;

    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL(/\/calls$/);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/calls\/\d+$/);
    await page.goBack();
    await page.keyboard.press('/');
    await page.keyboard.type('a.txt g h');
    expect(await page.inputValue('[data-search]')).toBe('a.txt g h');
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    expect(await page.isVisible('dialog')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('dialog')).toBe(false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
  });

  const paths = ['/', '/approvals', '/calls', '/sessions', '/history', '/memories', '/servers', '/policy'];

  test('on a phone nothing is wider than the screen, whatever was sent', async () => {
    const long = 'x'.repeat(300);
    const world = await openConsole({ config, files: { [`${'y'.repeat(200)}.txt`]: 'y' } });
    await world.send('file_read', { path: `${long}/${long}` });
    await world.call('write_file', { path: `${'z'.repeat(200)}.md`, content: `${long}\n` });
    await world.store.memoriesFor('local').remember({ content: long, category: long.slice(0, 50), tags: [] });
    const reply = world.send('file_write', { path: long.slice(0, 200), content: long });
    const { page } = await openTab(browser, world, { viewport: { width: 360, height: 740 } });
    await page.waitForSelector('.question');
    for (const path of paths) {
      await page.goto(world.base + path);
      expect(await widthOf(page), path).toBeLessThanOrEqual(360);
    }
    await page.goto(`${world.base}/history`);
    await page.click('.timeline a');
    expect(await widthOf(page)).toBeLessThanOrEqual(360);
    await page.goto(`${world.base}/calls`);
    await page.click('.calls a');
    expect(await widthOf(page)).toBeLessThanOrEqual(360);
    await page.goto(`${world.base}/approvals`);
    await page.click('.question button.no');
    await reply;
  });

  test('in the dark it is dark, and words stand out from their ground in both', async () => {
    const world = await openConsole({ config, files: { 'a.txt': 'a' } });
    await world.send('file_read', { path: 'a.txt' });
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await openTab(browser, world, { colorScheme });
      for (const selector of ['h1', '.when', '.outcome', 'nav a', '.tabs .quiet', '.facts dt']) {
        expect(await contrastOf(page, selector), `${colorScheme} ${selector}`).toBeGreaterThanOrEqual(4.5);
      }
      const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(22, 24, 27)' : 'rgb(251, 250, 248)');
    }
  });

  test('speaks the language of the browser, or the one that was chosen', async () => {
    const world = await openConsole({ config });
    const { page, complaints } = await openTab(browser, world, { locale: 'ja-JP' });
    expect(await page.textContent('h1')).toBe('概要');
    expect(await page.getAttribute('html', 'lang')).toBe('ja');
    for (const path of paths) {
      await page.goto(world.base + path);
      expect(await page.textContent('h1'), path).toMatch(/[\u3040-\u30ff\u4e00-\u9fff]/);
    }
    await page.click('a[hreflang=en]');
    expect(await page.textContent('h1')).toBe('Policy');
    await page.goto(world.base);
    expect(await page.textContent('h1')).toBe('Overview');
    expect(complaints).toEqual([]);
  });
});

function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth');
}

/** How far the words stand out from what is behind them (WCAG 2). */
function contrastOf(page: Page, selector: string): Promise<number> {
  return page.evaluate(`(() => {
    const rgb = (words) => words.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b]
      .map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const element = document.querySelector(${JSON.stringify(selector)});
    let ground = element;
    while (ground && (rgb(getComputedStyle(ground).backgroundColor)[3] ?? 1) === 0) ground = ground.parentElement;
    const [one, other] = [
      light(rgb(getComputedStyle(element).color)),
      light(rgb(getComputedStyle(ground ?? document.documentElement).backgroundColor)),
    ];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  })()`);
}
