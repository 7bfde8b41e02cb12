/**
 * `npm run score -- [--egress FOLDER] [--gateway FOLDER] [--governance FOLDER]
 * [--recordings FOLDER] [--cases]`: public cases, fetched by whoever runs
 * it, unchanged against the built server. `--revision URL --tool NAME [--input JSON] [--token TOKEN] [--asking NAME
 * --asked JSON]`: our own cases for revision 2026-07-28 against any server (`docs/score.md`).
 */
import { parseArgs } from 'node:util';
import { figuresOf, line } from '../flow/figures.ts';
import { readRecordings } from '../flow/recording.ts';
import { runEgress } from './egress.ts';
import { coverageOf, runGateway } from './gateway.ts';
import { runGovernance } from './governance.ts';
import { lineOf, type Outcome } from './outcome.ts';
import { runRevision } from './revision.ts';

const { values } = parseArgs({
  options: {
    egress: { type: 'string' },
    gateway: { type: 'string' },
    governance: { type: 'string' },
    recordings: { type: 'string' },
    revision: { type: 'string' },
    tool: { type: 'string', default: 'help' },
    input: { type: 'string', default: '{}' },
    token: { type: 'string' },
    asking: { type: 'string' },
    asked: { type: 'string', default: '{}' },
    cases: { type: 'boolean' },
  },
});

function show(title: string, outcomes: readonly Outcome[]): void {
  console.log(lineOf(title, outcomes));
  if (!values.cases) return;
  for (const { id, isBad, verdict, reason } of outcomes)
    console.log(`  ${isBad ? 'bad ' : 'good'} ${verdict.padEnd(14)} ${id}: ${reason}`);
}

if (values.egress !== undefined) {
  show('agent-egress-bench, as it is installed', await runEgress(values.egress, 'default'));
  show('agent-egress-bench, by content alone', await runEgress(values.egress, 'content'));
}
if (values.gateway !== undefined) {
  const outcomes = await runGateway(values.gateway);
  show('mcp-defense-bench', outcomes);
  const { covered, vectors, weighted } = coverageOf(outcomes);
  console.log(`  by vector: ${covered} of ${vectors}, weighted ${weighted}`);
}
if (values.governance !== undefined) {
  const governed = await runGovernance(values.governance);
  const passed = governed.filter(({ missed }) => missed.length === 0);
  console.log(`AgentGovBench: ${passed.length} of ${governed.length} as expected`);
  for (const { id, missed } of governed)
    if (missed.length > 0) console.log(`  ${id}: not so: ${missed.join('; ')}`);
}
if (values.recordings !== undefined) {
  const runs = readRecordings(values.recordings);
  console.log(`${runs.length} recorded runs`);
  for (const withWords of [true, false]) console.log(`  ${line(figuresOf(runs, withWords))}`);
}
if (values.revision !== undefined) {
  const { revision: url, tool, token, asking } = values;
  const input = JSON.parse(values.input) as object;
  const asked =
    asking === undefined ? undefined : { tool: asking, input: JSON.parse(values.asked) as object };
  show('revision 2026-07-28', await runRevision({ url, tool, input, token, asking: asked }));
}
