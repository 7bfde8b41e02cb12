import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Answer, openNotes } from './open-notes.ts';

// A gigabyte of ten million lines with SEKISHO_HAMMER=1, which prints figures; a part of it otherwise.
const hammer = process.env.SEKISHO_HAMMER === '1';
const lineCount = hammer ? 10_000_000 : 1_500_000;
const lineOf = (line: number) =>
  `${String(line).padStart(10, '0')} ${'lorem ipsum dolor sit amet '.repeat(4).slice(0, 96)}`;

test('a file of any size: others are served while it is counted, lines are right, memory stays flat', async () => {
  const { root, call } = openNotes({}, { config: { maxChunkLines: 200, hardMaxChars: 200_000 } });
  const file = join(root, 'n.md');
  writeLines(file);
  while (Date.now() - statSync(file).ctimeMs < 80) await new Promise((resolve) => setTimeout(resolve, 20));

  const floorMs = hammer ? timed(() => spawnSync('wc', ['-l', file])) : 0;
  let turns = 0;
  let longestMs = 0;
  let lastMs = performance.now();
  const beat = setInterval(() => {
    turns += 1;
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  }, 1);
  const startedMs = performance.now();
  const first = await call('vault_read', { path: 'n.md', range: { start_line: lineCount } });
  const touchMs = performance.now() - startedMs;
  clearInterval(beat);
  expect(first.text).toBe(lineOf(lineCount));
  expect(turns).toBeGreaterThan(3);

  const readMs: Record<string, number> = {};
  for (const share of [0.01, 0.5, 0.99]) {
    const times: number[] = [];
    for (let run = 0; run < 200; run += 1) {
      const start = Math.floor(lineCount * share) + run * 37;
      const beganMs = performance.now();
      const range = { start_line: start, end_line: start + 79 };
      const reply = await call('vault_read', { path: 'n.md', range });
      times.push(performance.now() - beganMs);
      expect(reply.text.startsWith(`${lineOf(start)}\n`) && reply.text.endsWith(lineOf(start + 79))).toBe(
        true,
      );
    }
    readMs[share] = times.sort((left, right) => left - right)[100] ?? 0;
  }

  const scanStartedMs = performance.now();
  const before = process.memoryUsage.rss();
  let highest = before;
  let chars = 0;
  let lines = 0;
  for (let cursor: Answer = null; ; ) {
    const reply = await call('vault_scan', { path: 'n.md', cursor, chunk_lines: 200 });
    chars += reply.text.length + 1;
    lines = reply.applied_range.end_line;
    if (lines % 20_000 === 0) highest = Math.max(highest, process.memoryUsage.rss());
    if (reply.eof) break;
    cursor = reply.next_cursor;
  }
  const scanMs = performance.now() - scanStartedMs;
  expect([lines, chars]).toEqual([lineCount, statSync(file).size]);
  const grownMiB = (highest - before) / 2 ** 20;
  expect(grownMiB).toBeLessThan(150);

  if (hammer) {
    const catMs = timed(() => spawnSync('sh', ['-c', 'cat "$1" | wc', 'sh', file]));
    const catLinesMs = timed(() => spawnSync('sh', ['-c', 'cat "$1" | wc -l', 'sh', file]));
    console.log({ floorMs, touchMs, turns, longestMs, readMs, scanMs, catMs, catLinesMs, grownMiB });
  }
});

function writeLines(file: string): void {
  const fd = openSync(file, 'w');
  for (let line = 1; line <= lineCount; ) {
    const block: string[] = [];
    for (; block.length < 20_000 && line <= lineCount; line += 1) block.push(lineOf(line));
    writeSync(fd, `${block.join('\n')}\n`);
  }
  closeSync(fd);
}

function timed(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}
