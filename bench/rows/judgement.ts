import { readFileSync } from 'node:fs';
import { parse } from 'unbash';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { atMost, isFull, median, percentile, type Row, within } from '../measure.ts';
import { pathological } from '../pathological.ts';
import { assertHolds } from '../world.ts';

const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const judge = createCommandJudge();

/** What people write, joined to scripts: more kinds of commands than any one of theirs holds. */
export const rows: readonly Row[] = [
  {
    name: 'judge',
    async run() {
      const small = measure(grownTo(4096, 100), 20);
      const large = measure(grownTo(32_768, 30), 12);
      return [
        atMost('judge 4 KiB of commands', 'the parser alone on the same text', 15, small),
        atMost('judge 32 KiB of commands', 'the parser alone on the same text', 25, large),
        within('judge 4 KiB of commands, p99', 0.6, small.p99),
        within('judge 32 KiB of commands, p99', 20, large.p99),
        within(
          'judge 32 KiB of what is hard to read, against eight of 4 KiB',
          3,
          worstGrowth(isFull ? 1000 : 40),
          'count',
        ),
      ];
    },
  },
];

/** How many times longer a script takes than eight of an eighth of it, at worst: once where the work grows with the length. */
function worstGrowth(count: number): number {
  let asked = 0;
  const shortest = (text: string, times: number) =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const startedMs = performance.now();
        for (let time = 0; time < times; time++) {
          // The judge keeps its last reading, so that the same text would not be read again.
          asked += 1;
          judge.judge({ kind: 'script', script: text + ' '.repeat(asked % 64), shell: 'bash' }, context);
        }
        return performance.now() - startedMs;
      }),
    );
  return Math.max(...pathological(count).map((make) => shortest(make(32_000), 1) / shortest(make(4000), 8)));
}

/** Of each script its shortest time, which what else the machine does cannot lengthen. */
function measure(scripts: readonly string[], rounds: number) {
  const ours = scripts.map(() => Number.POSITIVE_INFINITY);
  const theirs = [...ours];
  for (let round = -2; round < rounds; round++) {
    for (const [at, script] of scripts.entries()) {
      const startedMs = performance.now();
      const { decision } = judge.judge({ kind: 'script', script, shell: 'bash' }, context);
      const judgedMs = performance.now();
      const { errors } = parse(script);
      const parsedMs = performance.now();
      assertHolds({ decision, errors: errors?.length ?? 0 }, '"errors":0');
      if (round < 0) continue;
      ours[at] = Math.min(ours[at] ?? 0, judgedMs - startedMs);
      theirs[at] = Math.min(theirs[at] ?? 0, parsedMs - judgedMs);
    }
  }
  return { ours: median(ours), theirs: median(theirs), p99: percentile(ours, 0.99) };
}

/** Scripts of that size out of the everyday lines that are allowed, each from another place in them. */
function grownTo(bytes: number, count: number): readonly string[] {
  const lines = readFileSync(new URL('../../test/judgement/everyday.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !/[({\\]$|<</.test(line) && isAllowed(line));
  return Array.from({ length: count }, (_, start) => {
    let text = '';
    for (let at = start * 7; ; at++) {
      const line = `${lines[at % lines.length]}\n`;
      if (text.length + line.length > bytes) return text;
      text += line;
    }
  });
}

function isAllowed(script: string): boolean {
  return judge.judge({ kind: 'script', script, shell: 'bash' }, context).decision === 'allow';
}
