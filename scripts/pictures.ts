import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Checkpoint, openCheckpoint } from '../src/checkpoint/open-checkpoint.ts';
import { serveHttp } from '../src/checkpoint/serving.ts';
import { consoleLink } from '../src/cli/console.ts';
import { loadSettings } from '../src/config/load.ts';
import { type Locale, text } from '../src/contract/text/text.ts';

/** Where a Chromium is, if the machine has one. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Whether a page in Japanese shows more than boxes here. */
export function hasJapaneseFont(): boolean {
  return spawnSync('fc-list', [':lang=ja', 'family'], { encoding: 'utf8' }).stdout?.trim().length > 0;
}

/** Takes the pictures of the console that the pages show, in one language, into `folder`. */
export async function takePictures(locale: Locale, folder: string, program: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    await takeIn(locale, folder, browser);
  } finally {
    await browser.close();
  }
}

async function takeIn(locale: Locale, folder: string, browser: Browser): Promise<void> {
  const world = mkdtempSync(join(tmpdir(), 'sekisho-pictures-'));
  const root = join(world, 'project');
  mkdirSync(join(root, 'src'), { recursive: true });
  for (const [path, content] of Object.entries(project)) writeFileSync(join(root, path), content);
  mkdirSync(join(root, 'tmpdata'));
  for (let day = 1; day <= 30; day += 1) {
    writeFileSync(
      join(root, `tmpdata/2026-09-${String(day).padStart(2, '0')}.csv`),
      `day,orders\n${day},${day * 7}\n`,
    );
  }
  const config = join(world, 'sekisho.json');
  writeFileSync(config, JSON.stringify({ process: { network: ['github'] } }));
  const settings = loadSettings(
    {
      root,
      config,
      profile: 'coding',
      state: join(world, 'state'),
      locale,
      toolsets: ['agent-cli', 'assistant'],
    },
    { HOME: world, PATH: process.env.PATH },
    root,
  );
  const present = Date.now;
  let agoMs = 55 * 60_000;
  // The calls are real, one after another; the clock alone goes faster, so that the charts have an hour to show.
  Date.now = () => present() - Math.round(agoMs);
  const checkpoint = await openCheckpoint(settings, {});
  const server = await serveHttp(checkpoint, { port: 0 });
  try {
    const step = agoMs / (rounds * day.length);
    for (let round = 0; round < rounds; round += 1) {
      for (const [tool, input] of day) {
        agoMs -= step * (0.4 + ((round * 7 + tool.length) % 5) * 0.3);
        agoMs = Math.max(agoMs, 5_000);
        await callFrom(checkpoint, tool, input(round));
      }
    }
    agoMs = 0;
    void callFrom(checkpoint, 'bash', { command: 'python3 tidy.py' });
    const page = await browser.newPage({
      locale: text('en-GB', 'ja-JP')[locale],
      viewport: { width: 1240, height: 820 },
    });
    await page.goto(await consoleLink(checkpoint, server.address));
    await page.waitForSelector('.question', { timeout: 60_000 });
    await page.screenshot({ path: join(folder, 'console.png') });

    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`http://127.0.0.1:${server.address.port}/history`);
    await page.locator('a[href^="/history/"]').first().click();
    await page.waitForLoadState();
    await page.screenshot({ path: join(folder, 'console-diff.png') });
  } finally {
    await server.close();
    await checkpoint.close();
    Date.now = present;
    rmSync(world, { recursive: true, force: true });
  }
}

function callFrom(checkpoint: Checkpoint, tool: string, input: object) {
  return checkpoint.gateway.call({
    tool,
    input,
    arrival: { transport: 'stdio', connectionId: 'pictures' },
    signal: new AbortController().signal,
  });
}

const project: Readonly<Record<string, string>> = {
  'README.md': '# Shop\n\nPrices, carts and orders.\n',
  'tidy.py': "import glob, os\n\nfor name in glob.glob('tmpdata/*'):\n    os.unlink(name)\n",
  'package.json': '{\n  "name": "shop",\n  "version": "1.4.0"\n}\n',
  'src/price.js':
    'export function price(net, rate) {\n  return net + net * rate;\n}\n\nexport function format(amount) {\n  return amount.toFixed(2);\n}\n',
};

/** How often the calls below are made. */
const rounds = 14;

const day: readonly (readonly [tool: string, input: (round: number) => object])[] = [
  ['read_file', () => ({ path: 'src/price.js' })],
  ['grep', () => ({ pattern: 'toFixed', path: '.' })],
  ['file_read', (round) => ({ path: round % 6 === 2 ? 'src/tax.js' : 'package.json' })],
  ['remember', (round) => ({ content: `Release 1.${round} is cut on Fridays; ask Mia first.` })],
  ['shell_exec', (round) => ({ command: round % 5 === 3 ? 'rm -rf ~' : 'true' })],
  [
    'file_write',
    (round) => ({
      path: 'src/price.js',
      overwrite: true,
      content: `${project['src/price.js']}`.replace(
        'net + net * rate',
        round % 2 === 0 ? 'net * (1 + rate)' : 'Math.round(net * (1 + rate) * 100) / 100',
      ),
    }),
  ],
];
