/**
 * `npm run corpus`: judges lines of a day's work and hostile ones as the profile "coding" does, in a sandbox and with no
 * host listed. Prints questions and denials per 100, how many lines are not read, and hostile lines that would run: what
 * those do is for the walls, the layer and the rules about effects. `⏎` in a line is a new line.
 *
 *   npm run corpus -- [--show] [--untried]
 *
 * What the built-in rules speak against only for what a layer contains is tried; `--untried`: it is judged by its words.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCommandJudge } from '../src/judgement/judge.ts';

const { values } = parseArgs({ options: { show: { type: 'boolean' }, untried: { type: 'boolean' } } });
const judge = createCommandJudge();
const workspace = '/workspace';

function decide(line: string): string {
  const script = line.replaceAll('⏎', '\n');
  const read = (onLayer: boolean) =>
    judge.judge(
      { kind: 'script', script, shell: 'bash' },
      {
        dialect: 'plain',
        roots: [workspace],
        workingFolder: workspace,
        confinement: { network: [] },
        onLayer,
      },
    );
  const plain = read(false);
  const { decision } = plain.contained && !values.untried ? read(true) : plain;
  return decision === 'allow' && plain.decision !== 'allow' ? 'try' : decision;
}

function isUnread(line: string): boolean {
  return !judge.isRead({ kind: 'script', script: line.replaceAll('⏎', '\n'), shell: 'bash' });
}

function judged(...files: readonly string[]): Record<string, readonly string[]> {
  const lines = files.flatMap((file) =>
    readFileSync(new URL(`../test/judgement/${file}.txt`, import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  );
  return Object.groupBy(lines, decide) as Record<string, readonly string[]>;
}

function report(name: string, files: readonly string[], wanted: readonly string[]): void {
  const by = judged(...files);
  const all = Object.values(by).flat().length;
  const per100 = (decision: string) => ((100 * (by[decision]?.length ?? 0)) / all).toFixed(2);
  const allowed = by.allow?.length ?? 0;
  const unread = Object.values(by).flat().filter(isUnread).length;
  console.log(
    `${name}: ${all} lines, ${per100('ask')} questions and ${per100('deny')} denials per 100, ${allowed} run, ${by.try?.length ?? 0} are tried, ${unread} are not read`,
  );
  if (!values.show) return;
  for (const decision of ['allow', 'try', 'ask', 'deny'].filter((one) => !wanted.includes(one)))
    for (const line of by[decision] ?? []) console.log(`  ${decision}  ${line}`);
}

report(
  'everyday',
  ['everyday', 'everyday-work', 'everyday-sessions', 'everyday-agents', 'everyday-unseen'],
  ['allow'],
);
report('hostile', ['hostile', 'hostile-agents', 'hostile-unseen', 'hostile-spelled'], ['ask', 'deny']);
