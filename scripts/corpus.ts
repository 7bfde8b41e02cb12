/**
 * `npm run corpus`: judges lines of a day's work and hostile ones as the profile "coding" does, in a sandbox, with no
 * host listed, with hosts whose requests are looked into, and with tunnels to them, in a project that
 * has the usual tools. Prints questions and denials per 100, how many lines are not read, and hostile lines that would run: what
 * those do is for the walls, the layer and the rules about effects. `⏎` in a line is a new line.
 *
 *   npm run corpus -- [--show] [--untried]
 *
 * What the built-in rules speak against only for what a layer contains is tried; `--untried`: it is judged by its words.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readProject } from '../bench/questions/project.ts';
import { hostsOf, networkSets } from '../src/config/network-sets.ts';
import type { Confinement } from '../src/contract/capabilities/judgement.ts';
import { createCommandJudge } from '../src/judgement/judge.ts';

const { values } = parseArgs({ options: { show: { type: 'boolean' }, untried: { type: 'boolean' } } });
const workspace = '/workspace';
const judge = createCommandJudge({ read: readProject(workspace) });
const network = hostsOf(Object.keys(networkSets));
const reaches: Readonly<Record<string, Confinement>> = {
  'no host': { network: [] },
  hosts: { network },
  tunnels: { network, tunnels: network },
};

function decide(line: string, confinement: Confinement): string {
  const script = line.replaceAll('⏎', '\n');
  const read = (onLayer: boolean) =>
    judge.judge(
      { kind: 'script', script, shell: 'bash' },
      {
        dialect: 'plain',
        roots: [workspace],
        workingFolder: workspace,
        confinement,
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

function judged(files: readonly string[], confinement: Confinement): Record<string, readonly string[]> {
  const lines = files.flatMap((file) =>
    readFileSync(new URL(`../test/judgement/${file}.txt`, import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  );
  return Object.groupBy(lines, (line) => decide(line, confinement)) as Record<string, readonly string[]>;
}

function report(name: string, files: readonly string[], wanted: readonly string[]): void {
  for (const [reach, confinement] of Object.entries(reaches))
    reportOf(`${name}, ${reach}`, judged(files, confinement), wanted);
}

function reportOf(
  name: string,
  by: Readonly<Record<string, readonly string[]>>,
  wanted: readonly string[],
): void {
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
