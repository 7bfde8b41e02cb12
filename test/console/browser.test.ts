import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
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

describe(`a question about what a command did`, needs(missingBrowser ?? lackOfLayers), () => {
  const thirty = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`tmpdata/measure-${at}.csv`, `day,visits\n${at},${at * 37}\n`]),
  );

  test('has its command as title and its answers in view; what it would lose is folded by folder', async () => {
    const world = await openConsole({ flags: { profile: 'coding' }, files: { ...thirty, 'a.md': 'a\n' } });
    const { page, complaints } = await openTab(browser, world, {
      timezoneId: 'Asia/Tokyo',
      viewport: { width: 390, height: 844 },
    });
    const command = 'rm -r tmpdata';
    const denied = world.send('bash', { command });
    await page.waitForSelector('.question');
    const first = page.locator('.question').first();
    expect(await first.locator('.what').textContent()).toBe(command);
    expect(await first.locator('.why').textContent()).toMatch(/^it deletes or overwrites 30 files/);
    expect((await first.innerText()).match(/which is most of what was there/g)).toHaveLength(1);
    expect(await first.locator('.quiet strong').first().textContent()).toBe('raw');
    expect(await first.locator('.folders summary').allTextContents()).toEqual([
      'deletes 30 files in tmpdata/',
    ]);
    expect(await first.locator('.folders .names li').count()).toBe(30);
    expect(await first.locator('.diff .file').count()).toBe(60);
    for (const size of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(size);
      for (const answer of ['yes', 'no']) {
        const box = await first.locator(`button.${answer}`).first().boundingBox();
        expect((box?.y ?? Infinity) + (box?.height ?? 0), answer).toBeLessThan(size.height);
      }
    }
    await first.locator('button.no').first().click();
    await page.waitForSelector('[role=status]:has-text("Denied.")');
    await denied;

    // The one that was asked before is counted for the next of its kind.
    const again = world.send('bash', { command });
    await page.waitForSelector('.question');
    await page.click('summary:has-text("Allow more")');
    expect(await first.locator('.offers').textContent()).toContain(
      '1 of the last 1 call needed this answer.',
    );
    expect(await first.locator('details p').first().textContent()).toBe(
      `Allows: Whatever exactly \`${command}\` does.`,
    );
    await first.locator('button.yes').first().click();
    await page.waitForSelector('[role=status]:has-text("Allowed:")');
    await again;
    expect(existsSync(join(world.root, 'tmpdata'))).toBe(false);

    // From History to the call, from there to its question, and the whole call is undone.
    await page.goto(`${world.base}/history`);
    expect(await page.locator('.timeline > li').count()).toBe(1);
    await page.click(`.timeline a:has-text("${command}")`);
    await page.waitForURL(/\/calls\/\d+$/);
    expect(await page.textContent('h1')).toBe(command);
    const shown = await page.textContent('.facts time');
    const expected = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Asia/Tokyo',
      hour: '2-digit',
      minute: '2-digit',
    });
    const [entry] = await world.store.audit.search({ tool: 'bash', limit: 1, newestFirst: true });
    expect(shown).toContain(expected.format(entry?.atMs));
    await page.click('a:has-text("See the question")');
    await page.waitForSelector(`.question .what:has-text("${command}")`);
    await page.click('a:has-text("Its calls")');
    await page.click('.calls a');
    await page.click('button:has-text("Undo this call")');
    await page.waitForSelector('[role=status]:has-text("Undone.")');
    expect(readdirSync(join(world.root, 'tmpdata'))).toHaveLength(30);
    expect(complaints).toEqual([]);
  });
});

describe(`in a browser`, needs(missingBrowser), () => {
  test('a call appears as it happens, in every tab, and none is lost while a tab was cut off', async () => {
    const world = await openConsole({ config, files: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' } });
    const { page, context, complaints } = await openTab(browser, world);
    expect(new URL(page.url()).search).toBe('');
    const other = await context.newPage();
    await other.goto(world.base);
    await world.send('file_read', { path: 'a.txt' });
    for (const tab of [page, other]) await tab.waitForSelector('#live li:has-text("a.txt")');

    await context.setOffline(true);
    await world.send('file_read', { path: 'b.txt' });
    await context.setOffline(false);
    await world.send('file_read', { path: 'c.txt' });
    await page.waitForSelector('#live li:has-text("c.txt")');
    await page.waitForSelector('#live li:has-text("b.txt")');
    const shown = await page.locator('#live .given').allTextContents();
    expect(shown.filter((words) => words === 'b.txt')).toHaveLength(1);
    expect(complaints.filter((words) => !words.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    expect(world.faults).toEqual([]);
  });

  test('a waiting call is allowed and runs; another is denied; the list follows', async () => {
    const world = await openConsole({ config });
    const { page, complaints } = await openTab(browser, world);
    await page.evaluate(`localStorage.setItem('sekisho-sound', 'on');
      const { AudioContext } = globalThis;
      globalThis.AudioContext = class extends AudioContext { constructor() { super(); globalThis.chimed = true; } };`);
    const title = await page.title();
    const allowed = world.send('file_write', { path: 'yes.txt', content: 'yes' });
    await page.waitForSelector('.question:has-text("yes.txt")');
    await page.waitForSelector('#waiting-count:has-text("1")');
    expect(await page.title()).toBe(`(1) ${title}`);
    expect(await page.evaluate('globalThis.chimed')).toBe(true);
    await page.click('.question button.yes');
    await page.waitForSelector('[role=status]:has-text("Allowed:")');
    expect(JSON.stringify(await allowed)).toContain('"success":true');
    expect(readFileSync(join(world.root, 'yes.txt'), 'utf8')).toBe('yes');

    const denied = world.send('file_write', { path: 'no.txt', content: 'no' });
    await page.waitForSelector('.question:has-text("no.txt")');
    await page.click('.question button.no');
    await page.waitForSelector('[role=status]:has-text("Denied.")');
    expect(JSON.stringify(await denied)).toContain('"denied"');
    await page.waitForSelector('.empty:has-text("No call is waiting")');
    expect(await page.title()).toBe(title);
    expect(complaints).toEqual([]);
  });

  test('a list that changes under the hand keeps what is open, and gives no answer to another question', async () => {
    // Of two rules, so that they are not alike and stand by themselves.
    const rules = ['first', 'second'].map((name) => ({
      path: `${name}.txt`,
      decision: 'ask' as const,
      because: 'Writing is looked at.',
    }));
    const world = await openConsole({ config: { ...config, rules } });
    const { page } = await openTab(browser, world);
    const first = world.send('file_write', { path: 'first.txt', content: '1' });
    await page.waitForSelector('.question:has-text("first.txt")');
    const second = world.send('file_write', { path: 'second.txt', content: '2' });
    await page.waitForSelector('.question:has-text("second.txt")');
    await page.click('.question:has-text("second.txt") summary');
    await page.focus('.question:has-text("first.txt") button.yes');
    const spot = await page.locator('.question:has-text("first.txt") button.yes').boundingBox();

    // Somebody else answers the first: the second moves to its place.
    const pending = await world.store.approvals.list('pending', Date.now());
    const gone = pending.find(({ message }) => message.en.includes('first.txt'));
    await world.store.approvals.decide(gone?.id ?? '', 'declined', 'cli:other', 'once', Date.now());
    await first;
    await page.waitForSelector('.question:has-text("first.txt")', { state: 'detached' });
    expect(await page.evaluate('document.activeElement.closest(".question") === null')).toBe(true);
    await page.keyboard.press('Enter');
    await page.mouse.click((spot?.x ?? 0) + 5, (spot?.y ?? 0) + 5);
    expect(await page.locator('.question details[open]').count()).toBe(1);
    expect((await world.store.approvals.list('pending', Date.now())).length).toBe(1);
    await page.waitForTimeout(1000);
    await page.click('.question button.no');
    await page.waitForSelector('[role=status]:has-text("Denied.")');
    await second;
  });

  test('a write is looked at as a difference and taken back, and a later change is not lost by it', async () => {
    const world = await openConsole({ config, files: { 'note.md': 'one\ntwo\n' } });
    await world.call('write_file', { path: 'note.md', content: 'one\nTWO\n' });
    const { page, complaints } = await openTab(browser, world);
    await page.goto(`${world.base}/history`);
    await page.click('.paths a:has-text("note.md")');
    await page.waitForSelector('.diff .plus');
    expect(await page.locator('.diff .minus').allTextContents()).toEqual(['-two\n']);
    expect(await page.locator('.diff .plus').allTextContents()).toEqual(['+TWO\n']);

    await world.call('write_file', { path: 'note.md', content: 'three\n' });
    await page.click('button:has-text("Undo")');
    await page.waitForSelector('[role=status]:has-text("changed since")');
    expect(readFileSync(join(world.root, 'note.md'), 'utf8')).toBe('three\n');
    await page.click('button:has-text("anyway")');
    await page.waitForSelector('[role=status]:has-text("Undone.")');
    expect(readFileSync(join(world.root, 'note.md'), 'utf8')).toBe('one\ntwo\n');
    const entries = await world.store.audit.search({ tool: 'sekisho undo', limit: 5 });
    expect(entries.map(({ outcome, transport }) => [outcome, transport])).toEqual([
      ['error', 'console'],
      ['ok', 'console'],
    ]);
    expect(complaints).toEqual([]);
  });

  test('what a session changed is taken back at once, as far as nobody changed it since', async () => {
    const world = await openConsole({ config, files: { 'a.md': 'a\n', 'b.md': 'b\n' } });
    const arrival = { transport: 'stdio', connectionId: 'agent-1' } as const;
    await world.call('write_file', { path: 'a.md', content: 'A\n' }, { arrival });
    await world.call('write_file', { path: 'b.md', content: 'B\n' }, { arrival });
    await world.call('write_file', { path: 'other.md', content: 'mine\n' });
    const { page } = await openTab(browser, world);
    await page.goto(`${world.base}/sessions`);
    await page.click('li:has-text("stdio") a[href^="/history"] >> nth=1');
    await page.waitForURL(/session=agent-1/);
    await page.click('summary:has-text("Undo everything")');
    await page.click('button:has-text("Undo everything")');
    await page.waitForSelector('[role=status]:has-text("Undone.")');
    const read = (name: string) => readFileSync(join(world.root, name), 'utf8');
    expect([read('a.md'), read('b.md'), read('other.md')]).toEqual(['a\n', 'b\n', 'mine\n']);

    await world.call('write_file', { path: 'a.md', content: 'A2\n' }, { arrival });
    await world.call('write_file', { path: 'b.md', content: 'B2\n' }, { arrival });
    await world.call('write_file', { path: 'a.md', content: 'later\n' });
    await page.click('summary:has-text("Undo everything")');
    await page.click('button:has-text("Undo everything")');
    await page.waitForSelector('[role=status]:has-text("Partly undone")');
    expect([read('a.md'), read('b.md')]).toEqual(['later\n', 'b\n']);
  });

  test('a call is tried against the policy; a memory is found, edited and forgotten', async () => {
    const world = await openConsole({ config });
    const { page, complaints } = await openTab(browser, world);
    await page.goto(`${world.base}/policy`);
    await page.fill('textarea', '{"tool": "shell_exec", "arguments": {"command": "rm -rf /"}}');
    await page.click('text=Try it');
    expect(await page.textContent('.card .outcome')).toBe('deny');
    await page.fill('textarea', 'not JSON');
    await page.click('text=Try it');
    expect(await page.textContent('.card .outcome')).toBe('not a call');

    const memories = world.store.memoriesFor('local');
    await memories.remember({ content: 'Deploys are on Fridays.', category: 'team', tags: ['deploy'] });
    await memories.remember({ content: 'Tea is in the kitchen.', category: 'team', tags: [] });
    await page.goto(`${world.base}/memories`);
    await page.fill('[data-search]', 'deploys');
    await page.keyboard.press('Enter');
    await page.waitForURL(/query=deploys/);
    await page.click('.card >> text=Edit');
    await page.fill('textarea', 'Deploys are on Mondays.\nNever on Fridays.');
    await page.click('text=Save');
    await page.waitForSelector('[role=status]:has-text("Saved.")');
    const [found] = await memories.recall({ query: 'deploys', limit: 1 });
    expect(found).toMatchObject({
      content: 'Deploys are on Mondays.\nNever on Fridays.',
      tags: ['deploy'],
      category: 'team',
    });
    await page.click('summary:has-text("Forget")');
    await page.click('text=Forget for good');
    await page.waitForSelector('[role=status]:has-text("Forgotten.")');
    expect(await memories.recall({ query: 'deploys', limit: 1 })).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
