import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { startServer } from '../client.ts';
import { atMost, medians, type Row } from '../measure.ts';
import { assertHolds, coding, filesystemOn, openOurs, type RawClient } from '../world.ts';

const run = promisify(execFile);
/** What every search of ours looks at, for ripgrep alone. */
const everything = ['--no-config', '--hidden', '--no-ignore', '--glob=!.git'];

export const rows: readonly Row[] = [
  {
    name: 'list-10k',
    async run() {
      const world = await openOurs({ config: coding });
      const folder = join(world.root, 'many');
      mkdirSync(folder);
      for (let file = 0; file < 10_000; file++) writeFileSync(join(folder, `file-${file}.txt`), '');
      const peer = await startServer(filesystemOn(world.root));
      const ours = () => world.ours.call('list_files', { path: 'many', limit: 20_000 });
      const theirs = () => peer.call('list_directory', { path: folder });
      for (const answer of [await ours(), await theirs()]) assertHolds(answer, 'file-9999.txt');
      const values = await medians(40, ours, theirs);
      await peer.close();
      await world.close();
      return [atMost('list 10,000 entries', 'server-filesystem', 1, values)];
    },
  },
  {
    name: 'search',
    async run() {
      // A tree that is real and that everybody who runs this has.
      const tree = realpathSync(join(import.meta.dirname, '../../node_modules'));
      const world = await openOurs({ root: tree, config: coding });
      const names = () => world.ours.call('glob', { pattern: '**/*', include_ignored: true, limit: 5000 });
      const content = () =>
        world.ours.call('grep', {
          pattern: 'createServer',
          fixed: true,
          output: 'count',
          include_ignored: true,
          limit: 2000,
        });
      const rg = (...args: string[]) =>
        run(rgPath, [...everything, ...args], { cwd: tree, maxBuffer: 1 << 28 });
      const listed = (await rg('--files')).stdout.split('\n').length - 1;
      const found = (await rg('-cF', 'createServer', '.')).stdout.split('\n').length - 1;
      assertNear('names', totalOf(await names()), listed);
      assertNear('content', filesOf(await content()), found);
      const common = 'deprecated';
      const lines = (await rg('-F', common, '.')).stdout.split('\n').length - 1;
      assertNear('lines', await allLines(world.ours.call, common), lines);
      const commonTimes = await medians(
        6,
        () => allLines(world.ours.call, common),
        () => rg('-F', common, '.'),
      );
      const nameTimes = await medians(20, names, () => rg('--files'));
      const contentTimes = await medians(12, content, () => rg('-cF', 'createServer', '.'));
      await world.close();
      return [
        atMost(`find names in a tree of ${listed} files`, '`rg --files`', 1.3, nameTimes),
        atMost('search content in that tree', '`rg`', 1.15, contentTimes),
        atMost(`read all ${lines} lines that a common word is in, 2,000 a page`, '`rg`', 1.2, commonTimes),
      ];
    },
  },
];

/** Every page of what a pattern finds. */
async function allLines(call: RawClient['call'], pattern: string): Promise<number> {
  let lines = 0;
  let cursor: string | undefined;
  do {
    const { structuredContent } = await call('grep', {
      pattern,
      fixed: true,
      include_ignored: true,
      limit: 2000,
      ...(cursor !== undefined && { cursor }),
    });
    const page = structuredContent as { lines: unknown[]; next_cursor?: string };
    lines += page.lines.length;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return lines;
}

function totalOf(result: Record<string, unknown>): number {
  return (result.structuredContent as { total: number }).total;
}

function filesOf(result: Record<string, unknown>): number {
  return (result.structuredContent as { files: unknown[] }).files.length;
}

/** Tools that cache in node_modules may write there meanwhile. */
function assertNear(what: string, ours: number, theirs: number): void {
  if (Math.abs(ours - theirs) > theirs / 100)
    throw new Error(`${what}: ${ours} found, ripgrep finds ${theirs}`);
}
