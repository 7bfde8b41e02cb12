import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Outcome } from './outcome.ts';

/** A request to a server of revision 2026-07-28, and what may come of it (`docs/score.md`). */
interface RevisionCase {
  readonly id: string;
  readonly about: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body: unknown;
  readonly needs?: 'token' | 'asking';
  readonly expect: {
    /** `refused`: no result, or one that says it is an error; `any`: only what follows is looked at. */
    readonly outcome: 'answered' | 'refused' | 'any';
    /** What may stand nowhere in the answer. */
    readonly not?: readonly string[];
    readonly header?: { readonly name: string; readonly not: string };
  };
}

interface Target {
  readonly url: string;
  /** A tool that only reads, and arguments that it answers. */
  readonly tool: string;
  readonly input: object;
  readonly token?: string | undefined;
  /** A tool that asks a person first, and arguments about which it does. */
  readonly asking?: { readonly tool: string; readonly input: object } | undefined;
}

export function readRevisionCases(): readonly RevisionCase[] {
  const file = join(import.meta.dirname, 'revision-2026-07-28', 'cases.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly RevisionCase[] }).cases;
}

/** Each case in a request of its own; a server that no longer answers fails the rest. */
export async function runRevision(target: Target): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const each of readRevisionCases()) {
    const [group = ''] = each.id.split('-');
    const isBad = each.expect.outcome !== 'answered';
    const about = { id: each.id, group, isBad };
    if (each.needs && target[each.needs] === undefined) {
      const lack = each.needs === 'token' ? 'no token was named' : 'no tool that asks was named';
      outcomes.push({ ...about, verdict: 'not applicable', reason: lack });
      continue;
    }
    const problem = problemOf(each, await send(each, target));
    const right = isBad ? 'stopped' : 'passed';
    const wrong = isBad ? 'passed' : 'stopped';
    outcomes.push({
      ...about,
      verdict: problem === undefined ? right : wrong,
      reason: problem ?? each.about,
    });
  }
  return outcomes;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function problemOf({ expect }: RevisionCase, { status, headers, text }: Answer): string | undefined {
  const said = saidIn(text);
  const found = expect.not?.find((words) => text.includes(words) || said.includes(words));
  if (found !== undefined) return `the answer holds ${found}`;
  if (expect.header && String(headers[expect.header.name] ?? '').includes(expect.header.not))
    return `the header ${expect.header.name} holds ${expect.header.not}`;
  const isAnswered =
    status === 200 && /"result"\s*:/.test(text) && !/"isError"\s*:\s*true|"input_required"/.test(text);
  if (expect.outcome === 'answered' && !isAnswered) return `refused with ${status}: ${text.slice(0, 200)}`;
  if (expect.outcome === 'refused' && isAnswered) return `answered: ${text.slice(0, 200)}`;
  return undefined;
}

/** As whoever shows the answer has it: escapes in JSON are the characters. */
function saidIn(text: string): string {
  try {
    const strings: string[] = [];
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string') strings.push(value);
      return value;
    });
    return strings.join('\n');
  } catch {
    return text;
  }
}

function send(each: RevisionCase, target: Target): Promise<Answer> {
  const fill = (text: string) =>
    text
      .replaceAll('"$ASKED"', JSON.stringify(target.asking?.input))
      .replaceAll('$ASKING', target.asking?.tool ?? '')
      .replaceAll('"$ARGUMENTS"', JSON.stringify(target.input))
      .replaceAll('$TOOL', target.tool)
      .replaceAll('$TOKEN', target.token ?? '')
      .replaceAll('$ORIGIN', new URL(target.url).origin);
  const usual = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(target.token !== undefined && { authorization: `Bearer ${target.token}` }),
  };
  const given = Object.entries({ ...usual, ...each.headers }).flatMap(([name, value]) =>
    value === null ? [] : [[name, fill(value)] as const],
  );
  const body = typeof each.body === 'string' ? each.body : JSON.stringify(each.body ?? '');
  return new Promise((resolve, reject) => {
    const sent = request(target.url, { method: each.method ?? 'POST', headers: Object.fromEntries(given) });
    sent.setTimeout(30_000, () => sent.destroy(new Error(`${each.id}: no answer`)));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.end(each.method === undefined ? fill(body) : undefined);
  });
}
