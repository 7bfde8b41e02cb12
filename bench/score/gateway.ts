import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Verdict } from './outcome.ts';
import { runScenario, type Scenario } from './scenarios.ts';
import { type Came, openServed } from './served.ts';
import type { StandInTool } from './stand-in.ts';

/** A fixture of mcp-defense-bench: an attack on one of its vectors, or the harmless counterpart. */
interface Fixture extends Scenario {
  readonly type: string;
  readonly tool?: StandInTool;
  readonly call?: { readonly name: string; readonly arguments: object };
  readonly calls?: readonly { readonly name: string; readonly arguments: object; readonly result?: object }[];
  readonly result?: object;
  readonly before?: StandInTool;
  readonly after?: StandInTool;
  readonly servers?: readonly { readonly server: string; readonly tools: readonly StandInTool[] }[];
}

interface Case {
  readonly id: string;
  readonly vector: string;
  readonly fixture: Fixture;
  readonly benignControl: Fixture;
}

export async function runGateway(folder: string): Promise<readonly Outcome[]> {
  const cases = join(folder, 'testcases');
  const outcomes: Outcome[] = [];
  const files = readdirSync(cases, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
  for (const name of files.toSorted()) {
    const each = JSON.parse(readFileSync(join(cases, name), 'utf8')) as Case;
    for (const isBad of [true, false]) {
      const found = await runFixture(isBad ? each.fixture : each.benignControl);
      outcomes.push({ id: each.id, group: each.vector, isBad, ...found });
    }
  }
  return outcomes;
}

/** Of each vector the better of its cases, as the makers count: 1 where it is enforced, a half where it is told. */
export function coverageOf(outcomes: readonly Outcome[]): {
  readonly vectors: number;
  readonly weighted: number;
  readonly covered: number;
} {
  const byVector = [...Map.groupBy(outcomes, ({ group }) => group).values()].map((those) => {
    const wrong = new Set(those.filter((each) => !each.isBad && isNoticed(each.verdict)).map(({ id }) => id));
    const weights = those
      .filter((each) => each.isBad && !wrong.has(each.id))
      .map(({ verdict }) => (verdict === 'told' ? 0.5 : isNoticed(verdict) ? 1 : 0));
    return Math.max(0, ...weights);
  });
  return {
    vectors: byVector.length,
    weighted: byVector.reduce((sum: number, weight) => sum + weight, 0),
    covered: byVector.filter((weight) => weight > 0).length,
  };
}

function isNoticed(verdict: Verdict): boolean {
  return verdict === 'stopped' || verdict === 'asked' || verdict === 'told';
}

type Found = Pick<Outcome, 'verdict' | 'reason'>;

async function runFixture(fixture: Fixture): Promise<Found> {
  const { type, tool, call, result } = fixture;
  if (type === 'tool-call' && tool && call) return foundOf(await calling(tool, call.arguments));
  if (type.endsWith('tool-result') && tool) {
    const came = await calling({ ...tool, answer: result }, fixture.call?.arguments ?? argumentsFor(tool));
    return came.isTold ? { verdict: 'told', reason: came.words.split('\n')[0] ?? '' } : passed;
  }
  if (type.endsWith('tool-definition') && tool) return isOffered({ s: [tool] }, [`s__${tool.name}`]);
  if (type === 'definition-change' && fixture.before && fixture.after)
    return changed(fixture.before, fixture.after);
  if (type === 'multi-server-registry' && fixture.servers) {
    const servers = Object.fromEntries(fixture.servers.map(({ server, tools }) => [server, tools]));
    return isOffered(
      servers,
      fixture.servers.flatMap(({ server, tools }) => tools.map(({ name }) => `${server}__${name}`)),
    );
  }
  if (type === 'tool-call-sequence' && fixture.calls) return sequence(fixture.calls);
  if (type === 'scenario') {
    const found = await runScenario(fixture);
    if (found) return found;
  }
  return { verdict: 'not applicable', reason: `nothing of a server that runs is shown by ${type}` };
}

const passed: Found = { verdict: 'passed', reason: 'passed on' };

async function calling(tool: StandInTool, input: object): Promise<Came> {
  const { annotations: _, ...plain } = tool;
  await using served = await openServed({ s: { tools: [plain] } });
  await served.offered();
  return served.call(`s__${tool.name}`, input);
}

async function isOffered(
  servers: Readonly<Record<string, readonly StandInTool[]>>,
  names: readonly string[],
): Promise<Found> {
  await using served = await openServed(
    Object.fromEntries(Object.entries(servers).map(([name, tools]) => [name, { tools }])),
  );
  const shown = await served.offered();
  const missing = names.filter((name) => !shown.includes(name));
  return missing.length === 0 ? passed : { verdict: 'stopped', reason: `held back: ${missing.join(', ')}` };
}

/** First seen, then changed: the call after it is what counts. */
async function changed(before: StandInTool, after: StandInTool): Promise<Found> {
  await using served = await openServed({ s: { tools: [before] } });
  const name = `s__${before.name}`;
  await served.offered();
  await served.call(name, argumentsFor(before));
  served.rewrite('s', [after]);
  await using later = await served.again();
  const { what, words } = await later.call(name, argumentsFor(after));
  return what === 'ran' ? passed : { verdict: 'stopped', reason: words.replace(/\s+/g, ' ').slice(0, 200) };
}

/** Where a case leaves them out: what the tool requires. */
function argumentsFor({ inputSchema }: StandInTool): object {
  const { required = [] } = (inputSchema ?? {}) as { readonly required?: readonly string[] };
  return Object.fromEntries(required.map((name) => [name, 'Kyoto']));
}

async function sequence(calls: NonNullable<Fixture['calls']>): Promise<Found> {
  const tools = calls.map(({ name, arguments: given, result }) => ({
    name,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.keys(given).map((each) => [each, {}])),
    },
    answer: result,
  }));
  await using served = await openServed({ s: { tools } });
  await served.offered();
  for (const { name, arguments: given } of calls) {
    const found = foundOf(await served.call(`s__${name}`, given));
    if (found.verdict !== 'passed') return found;
  }
  return passed;
}

function foundOf({ what, words }: Came): Found {
  const verdicts: Readonly<Record<Came['what'], Verdict>> = {
    ran: 'passed',
    asked: 'asked',
    refused: 'stopped',
  };
  return { verdict: verdicts[what], reason: words.replace(/\s+/g, ' ').slice(0, 200) };
}
