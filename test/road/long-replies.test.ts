import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../../src/contract/call.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

const log = Array.from(
  { length: 4200 },
  (_, index) => `2026-11-23T09:30:00Z INFO  worker ${index} 処理した ${'x'.repeat(index % 50)}\n`,
).join('');
const wide = '行'.repeat(40_000);
/** What a client shows whole: the shortest that we know, and the usual. */
const replyBytes = [6500, 30_000];

let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
beforeAll(async () => {
  const files = { 'app.log': log, 'wide.txt': wide };
  world = await openTestCheckpoint({ files, flags: { profile: 'coding' } });
});
afterAll(() => world.close());

test('the log is as long as the one that nobody could read', () => {
  expect(Buffer.byteLength(log)).toBeGreaterThan(300_000);
});

describe.each(replyBytes)('where a client shows %i bytes', (bytes) => {
  test.each([
    ['app.log', log],
    ['wide.txt', wide],
  ])('%s is read to its end by read_file, every character once', async (path, whole) => {
    let read = '';
    let at: object = {};
    for (;;) {
      const reply = await world.call('read_file', { path, ...at }, { replyBytes: bytes });
      expect(textBytes(reply)).toBeLessThan(bytes + 200);
      const output = outputOf(reply);
      read += output.content;
      if (output.next_start_line === undefined) break;
      at = { start_line: output.next_start_line, char_offset: output.next_char_offset };
      if (output.next_char_offset === undefined) at = { start_line: output.next_start_line };
    }
    expect(read).toBe(whole);
  });

  test('what a command printed is shown by its beginning and end, and read on in between', async () => {
    const cat = await world.call('bash', { command: 'cat app.log; echo oops >&2' }, { replyBytes: bytes });
    expect(textBytes(cat)).toBeLessThan(bytes);
    const { stdout, stderr, process_id, truncated } = outputOf(cat);
    expect([truncated, stderr]).toEqual([true, 'oops\n']);
    const [, head = '', left, id, cursor, tail = ''] =
      /^(.*)\[… (\d+) bytes left out: bash_output process_id (\w+), cursor (\d+) …\]\n(.*)$/s.exec(
        String(stdout),
      ) ?? [];
    expect(log.startsWith(head) && log.endsWith(tail)).toBe(true);
    expect(id).toBe(process_id);

    let read = head;
    let next: unknown = Number(cursor);
    for (;;) {
      const page = await world.call('bash_output', { process_id: id, cursor: next }, { replyBytes: bytes });
      expect(textBytes(page)).toBeLessThan(bytes + 100);
      const output = outputOf(page);
      read += output.output;
      next = output.next_cursor;
      if (output.more !== true) break;
      expect(text(page)).toContain(`[more follows: cursor ${next}]`);
    }
    expect(read).toBe(`${log}oops\n`);
    expect(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail)).toBe(Buffer.byteLength(log));
  });

  test('grep shows the matches that fit, and goes on behind them', async () => {
    const found: unknown[] = [];
    let cursor: unknown;
    do {
      const reply = await world.call(
        'grep',
        { pattern: 'worker', path: 'app.log', limit: 1000, ...(cursor !== undefined && { cursor }) },
        { replyBytes: bytes },
      );
      expect(textBytes(reply)).toBeLessThan(bytes + 100);
      const output = outputOf(reply);
      found.push(...(output.lines as { line: number }[]).map(({ line }) => line));
      cursor = output.next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(Array.from({ length: 4200 }, (_, index) => index + 1));
  });
});

test('who asks for more gets it', async () => {
  const reply = await world.call('read_file', { path: 'app.log', max_chars: 400_000 });
  expect(outputOf(reply).content).toBe(log);
});

function text(reply: Reply): string {
  if (reply.kind !== 'output') throw new Error(`expected output, got ${JSON.stringify(reply).slice(0, 300)}`);
  return reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function textBytes(reply: Reply): number {
  return Buffer.byteLength(text(reply));
}
