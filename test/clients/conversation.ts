import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Say } from './dialects/dialect.ts';
import { type Stage, until } from './world.ts';

/** What the table has of one client; a cell that is no ✓ says in words what was seen. */
export type Row = Map<string, string>;

/** The steps of one conversation: each says a call and gets what the model was handed for it. */
export type Conversation = AsyncGenerator<Call, void, string>;
export type Call = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

const medium = Array.from({ length: 250 }, (_, line) => `line ${line}\tsay "hi" \\ ${'x'.repeat(30)}`).join(
  '\n',
);
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
  row.set('decline', holds(declined, 'A person was asked and said no.'));

  const whole = yield { tool: 'read_file', input: { path: 'medium.txt' } };
  const ratio = Buffer.byteLength(whole) / Buffer.byteLength(medium);
  row.set('bytes', whole.includes('line 249') ? `${ratio.toFixed(2)}×` : `cut: ${ratio.toFixed(2)}×`);

  yield* readToTheEnd(row);
}

async function* readToTheEnd(row: Row): Conversation {
  const seen = new Set<number>();
  let from: number | undefined = 1;
  let calls = 0;
  while (from !== undefined && calls < 80) {
    const part: string = yield { tool: 'read_file', input: { path: 'big.log', start_line: from } };
    calls += 1;
    for (const [, line] of part.matchAll(/entry (\d+) y/g)) seen.add(Number(line));
    from = Number(/start_line (\d+)/.exec(part)?.[1]) || undefined;
  }
  row.set('big output', seen.size === bigLines ? `✓ (${calls} calls)` : `${seen.size} of ${bigLines} lines`);
}

/** The person, at another terminal: waits for the question, then answers it. */
async function answer(stage: Stage, ...flags: string[]): Promise<void> {
  const id = await until(async () => {
    const waiting = JSON.parse(await stage.sekisho('approve', '--json')) as { readonly id: string }[];
    return waiting[0]?.id;
  }, 30_000);
  if (id !== undefined) await stage.sekisho('approve', id, ...flags);
}

function holds(result: string, ...parts: readonly string[]): string {
  return parts.every((part) => result.includes(part)) ? '✓' : `got ${excerpt(result)}`;
}

function excerpt(words: string): string {
  return JSON.stringify(words.slice(0, 120)).replaceAll('|', '\\|');
}

/** What a script says next, by the results so far. */
export function follow(conversation: Conversation, sayOf: (call: Call) => Say) {
  let heard = -1;
  let next: Promise<IteratorResult<Call, void>> | undefined;
  return async (results: readonly string[]): Promise<Say> => {
    // A request that is sent again gets the same answer.
    if (next === undefined || results.length > heard) {
      heard = results.length;
      next = conversation.next(results.at(-1) ?? '');
    }
    const { value } = await next;
    return value ? sayOf(value) : { text: 'done' };
  };
}
