import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Verdict } from './outcome.ts';
import { type Came, openServed, type Served } from './served.ts';
import type { StandInTool } from './stand-in.ts';

/** A case of agent-egress-bench, schema version 1. */
interface Case {
  readonly id: string;
  readonly category: string;
  readonly input_type: string;
  readonly expected_verdict: 'block' | 'allow';
  readonly payload: {
    readonly method?: string;
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly response_body?: string;
    readonly agent_card?: unknown;
    readonly jsonrpc_messages?: readonly {
      readonly params?: { readonly name?: string; readonly arguments?: object };
      readonly result?: { readonly tools?: readonly StandInTool[]; readonly content?: readonly object[] };
    }[];
  };
}

/**
 * `default`: the server as it is installed, no host listed. `content`: every host of the cases is listed, so that only what
 * is sent, and what was read before, can speak against it.
 */
type Profile = 'default' | 'content';

function readEgressCases(folder: string): readonly Case[] {
  const cases = join(folder, 'cases');
  return readdirSync(cases, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(cases, name), 'utf8')) as Case);
}

export async function runEgress(folder: string, profile: Profile): Promise<readonly Outcome[]> {
  const cases = readEgressCases(folder);
  const answers = cases.flatMap((each) => answerOf(each) ?? []);
  const defined = cases.filter(({ input_type: type }) => type === 'mcp_tool_definition');
  const any = { tools: toolsIn(cases) };
  const servers = {
    answers: { tools: answers },
    ...Object.fromEntries(
      defined.map((each) => [
        serverOf(each),
        { tools: each.payload.jsonrpc_messages?.[0]?.result?.tools ?? [] },
      ]),
    ),
  };
  const config = profile === 'content' ? { process: { network: hostsIn(cases) } } : {};
  // Apart from each other: what one session has read speaks in its other calls.
  await using sending = await openServed({ any }, config);
  await using reading = await openServed(servers, config);
  await sending.offered();
  const shown = await reading.offered();
  const outcomes: Outcome[] = [];
  for (const each of cases) {
    const isBad = each.expected_verdict === 'block';
    const sequence = each.input_type === 'mcp_tool_sequence';
    const found = sequence
      ? await inOwnSession(each, any.tools, config)
      : await runCase(each, { sending, reading }, shown);
    outcomes.push({ id: each.id, group: each.category, isBad, ...found });
  }
  return outcomes;
}

type Found = Pick<Outcome, 'verdict' | 'reason'>;

async function runCase(
  each: Case,
  { sending, reading }: { readonly sending: Served; readonly reading: Served },
  shown: readonly string[],
): Promise<Found> {
  const { payload } = each;
  switch (each.input_type) {
    case 'websocket_frame':
      return { verdict: 'not applicable', reason: 'no tool of ours or hop of ours speaks WebSocket' };
    case 'mcp_tool_definition': {
      const isShown = shown.some((name) => name.startsWith(`${serverOf(each)}__`));
      return isShown
        ? { verdict: 'passed', reason: 'the tool is offered' }
        : { verdict: 'stopped', reason: 'held back until a person has looked' };
    }
    case 'mcp_tool_result':
    case 'response_content':
    case 'a2a_agent_card': {
      const came = await reading.call(`answers__${nameOf(each)}`, {});
      return came.isTold
        ? { verdict: 'told', reason: came.words.split('\n')[0] ?? '' }
        : { verdict: 'passed', reason: "passed on, marked as a stranger's" };
    }
    case 'mcp_tool_call': {
      const { name = '', arguments: input = {} } = payload.jsonrpc_messages?.[0]?.params ?? {};
      return foundOf(await sending.call(`any__${name}`, input));
    }
    case 'a2a_message': {
      const { params } = payload.jsonrpc_messages?.[0] ?? {};
      return foundOf(await sending.call('any__message_send', { message: JSON.stringify(params) }));
    }
    default:
      return foundOf(await send(payload, sending));
  }
}

/** A page is fetched; what has more to a request goes by a proxied tool, since none of ours posts. */
async function send(payload: Case['payload'], served: Served): Promise<Came> {
  const { method = 'GET', url = '', headers, body } = payload;
  if (headers === undefined && body === undefined) return served.call('web_fetch', { url });
  return served.call('any__http_request', {
    method,
    url,
    ...(headers && { headers }),
    ...(body && { body }),
  });
}

/** A chain is one session with nothing before it. */
async function inOwnSession(each: Case, tools: readonly StandInTool[], config: object): Promise<Found> {
  await using served = await openServed({ any: { tools } }, config);
  await served.offered();
  for (const { params } of each.payload.jsonrpc_messages ?? []) {
    const came = foundOf(await served.call(`any__${params?.name}`, params?.arguments ?? {}));
    if (came.verdict !== 'passed') return came;
  }
  return { verdict: 'passed', reason: 'each call ran' };
}

function foundOf({ what, words }: Came): Found {
  const verdicts: Readonly<Record<Came['what'], Verdict>> = {
    ran: 'passed',
    asked: 'asked',
    refused: 'stopped',
  };
  return { verdict: verdicts[what], reason: words.replace(/\s+/g, ' ').slice(0, 200) };
}

function answerOf(each: Case): StandInTool | undefined {
  const { payload } = each;
  const content = payload.jsonrpc_messages?.[0]?.result?.content;
  const text = payload.response_body ?? (payload.agent_card && JSON.stringify(payload.agent_card));
  if (content === undefined && text === undefined) return undefined;
  return { name: nameOf(each), answer: { content: content ?? [{ type: 'text', text }] } };
}

/** Each tool that the cases call, with the arguments that they give it, and the two of ours. */
function toolsIn(cases: readonly Case[]): readonly StandInTool[] {
  const calls = cases
    .flatMap(({ payload }) => payload.jsonrpc_messages ?? [])
    .flatMap(({ params }) => params ?? []);
  const named = Map.groupBy(
    calls.filter(({ name }) => name !== undefined),
    ({ name }) => name ?? '',
  );
  const tools = [...named].map(([name, those]) => {
    const names = new Set(those.flatMap((call) => Object.keys(call.arguments ?? {})));
    return {
      name,
      inputSchema: { type: 'object', properties: Object.fromEntries([...names].map((each) => [each, {}])) },
    };
  });
  const ours = [
    ['http_request', ['method', 'url', 'headers', 'body']],
    ['message_send', ['message']],
  ] as const;
  return [
    ...tools,
    ...ours.map(([name, names]) => ({
      name,
      inputSchema: { type: 'object', properties: Object.fromEntries(names.map((each) => [each, {}])) },
    })),
  ];
}

function hostsIn(cases: readonly Case[]): readonly string[] {
  const links = cases.flatMap(({ payload }) => JSON.stringify(payload).match(/https?:\/\/[\w.-]+/g) ?? []);
  return [...new Set(links.map((link) => new URL(link).hostname))].filter((host) =>
    /^[a-z][\w.-]*\.[a-z]+$/.test(host),
  );
}

function nameOf({ id }: Case): string {
  return id.replaceAll('-', '_');
}

function serverOf({ id }: Case): string {
  return id.replaceAll(/[^a-z0-9-]/g, '');
}
