import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Say } from './dialects/dialect.ts';
import { type Stage, until } from './world.ts';

/** What the table has of one client; a cell that is no ✓ says in words what was seen. */
export type Row = Map<string, string>;

/** The steps of one conversation: each says a call and gets what the model was handed for it. */
export type Conversation = AsyncGenerator<Call, void, string>;
export type Call = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

const mediumLines = 250;
const medium = Array.from(
  { length: mediumLines },
  (_, line) => `line ${line}\tsay "hi" \\ ${'x'.repeat(30)}`,
).join('\n');
const bigLines = 4000;
const big = Array.from({ length: bigLines }, (_, line) => `entry ${line} ${'y'.repeat(66)}`).join('\n');

export function fillWorkspace(work: string): void {
  writeFileSync(join(work, 'small.txt'), 'one\ntwo "quoted"\n\tthree\n');
  writeFileSync(join(work, 'medium.txt'), `${medium}\n`);
  writeFileSync(join(work, 'big.log'), `${big}\n`);
  mkdirSync(join(work, 'live'));
}

/** All that can be seen in one sitting, in the order of the table. */
export async function* converse(stage: Stage, row: Row): Conversation {
  const small = yield { tool: 'read_file', input: { path: 'small.txt' } };
  row.set('call', holds(small, 'one\ntwo "quoted"\n\tthree'));

  const missing = yield { tool: 'read_file', input: { path: 'missing.txt' } };
  const isOurs = missing.includes('missing.txt') && !/-32602|must have required|output schema/i.test(missing);
  row.set('error', isOurs ? '✓' : `not our words: ${excerpt(missing)}`);

  const answered = answer(stage);
  const asked = yield { tool: 'write_file', input: { path: 'live/a.txt', content: 'new' } };
  await answered;
  row.set('ask', holds(asked, 'live/a.txt', 'Created'));

  const refused = answer(stage, '--deny');
  const declined = yield { tool: 'write_file', input: { path: 'live/b.txt', content: 'new' } };
  await refused;
  row.set('decline', holds(declined, 'A person was asked and refused.'));

  const whole = yield* readToTheEnd('medium.txt', /line (\d+)(?=\\?\W)/g);
  const ratio = `${(whole.bytes / Buffer.byteLength(medium)).toFixed(2)}×`;
  row.set('bytes', whole.lines === mediumLines ? ratio + (whole.isWrapped ? wrapped : '') : `cut: ${ratio}`);

  const log = yield* readToTheEnd('big.log', /entry (\d+) y/g);
  row.set(
    'big output',
    log.lines === bigLines ? `✓ (${log.calls} calls)` : `${log.lines} of ${bigLines} lines`,
  );
}

/** Page by page, as the replies say; some clients are given smaller pages, since they cut longer ones. */
async function* readToTheEnd(
  path: string,
  line: RegExp,
): AsyncGenerator<
  Call,
  { readonly lines: number; readonly calls: number; readonly bytes: number; readonly isWrapped: boolean },
  string
> {
  const seen = new Set<number>();
  let from: number | undefined = 1;
  let [calls, bytes, isWrapped] = [0, 0, false];
  while (from !== undefined && calls < 80) {
    const part: string = yield { tool: 'read_file', input: { path, start_line: from } };
    calls += 1;
    bytes += Buffer.byteLength(part);
    isWrapped ||= /^[[{]"?/.test(part);
    for (const [, number] of part.matchAll(line)) seen.add(Number(number));
    from = Number(/start_line (\d+)/.exec(part)?.[1]) || undefined;
  }
  return { lines: seen.size, calls, bytes, isWrapped };
}

/** The person, at another terminal: waits for the question, then answers it. */
async function answer(stage: Stage, ...flags: string[]): Promise<void> {
  const id = await until(async () => {
    const waiting = JSON.parse(await stage.sekisho('approve', '--json')) as { readonly id: string }[];
    return waiting[0]?.id;
  }, 30_000);
  if (id !== undefined) await stage.sekisho('approve', id, ...flags);
}

/** What the client itself does to a text before its model sees it. */
const wrapped = ' (as JSON, by the client)';

function holds(result: string, ...parts: readonly string[]): string {
  if (parts.every((part) => result.includes(part))) return '✓';
  const inJson = parts.map((part) => JSON.stringify(part).slice(1, -1));
  return inJson.every((part) => result.includes(part)) ? `✓${wrapped}` : `got ${excerpt(result)}`;
}

function excerpt(words: string): string {
  return JSON.stringify(words.slice(0, 120)).replaceAll('|', '\\|');
}

/** What a script says next, by the results so far. */
export function follow(conversation: Conversation, sayOf: (call: Call) => Say) {
  let heard: readonly [count: number, last: string] | undefined;
  let next: Promise<IteratorResult<Call, void>> | undefined;
  return async (results: readonly string[]): Promise<Say> => {
    const last = results.at(-1) ?? '';
    // A request that is sent again gets the same answer; a client that forgets old results still has a new last one.
    if (next === undefined || results.length > (heard?.[0] ?? -1) || last !== heard?.[1]) {
      heard = [results.length, last];
      next = conversation.next(last);
    }
    const { value } = await next;
    return value ? sayOf(value) : { text: 'done' };
  };
}
