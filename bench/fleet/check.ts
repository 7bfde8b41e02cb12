import pg from 'pg';
import type { Logged } from './log.ts';

/** What must never be, as found in the log of the agents and in the database. */
export interface Findings {
  /** Tasks that two agents were told are theirs. */
  readonly claimedTwice: readonly string[];
  /** Tasks whose end was acknowledged and is not there. */
  readonly lostFinishes: readonly string[];
  /** Calls that were answered and are not in the audit log. */
  readonly unrecorded: readonly string[];
  /** Conversations whose messages are missing, doubled or out of turn. */
  readonly outOfTurn: readonly string[];
  /** Files whose writing was acknowledged and that hold something else. */
  readonly brokenFiles: readonly string[];
}

export function countOf(findings: Findings): number {
  return Object.values(findings).reduce((sum: number, found: readonly string[]) => sum + found.length, 0);
}

/** Holds what the agents were told against what the database says; the audit log must have been joined. */
export async function check(
  url: string,
  log: readonly Logged[],
  fileAt: (path: string) => string | undefined,
  /** A database that crashes may lose the records of calls that changed nothing. */
  { mayLoseReads }: { readonly mayLoseReads: boolean },
): Promise<Findings> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const told = log.filter(({ answer }) => answer.kind === 'ok');
    return {
      claimedTwice: claimedTwice(told),
      lostFinishes: await lostFinishes(client, told),
      unrecorded: await unrecorded(
        client,
        log.filter(({ tool, answer }) => isRecorded(answer) && (!mayLoseReads || changing.has(tool))),
      ),
      outOfTurn: await outOfTurn(client, told),
      brokenFiles: brokenFiles(told, fileAt),
    };
  } finally {
    await client.end();
  }
}

/** Where the database does not answer or its disk is full, there is no place to write a refusal down, and it says so. */
function isRecorded(answer: Logged['answer']): boolean {
  if (answer.kind === 'lost') return false;
  const { error } = answer.value as { error?: { code?: string } };
  return answer.kind === 'ok' || (error?.code !== 'unavailable' && error?.code !== 'storage_full');
}

const changing: ReadonlySet<string> = new Set([
  'claim_task',
  'report_completed',
  'file_write',
  'start_conversation',
  'respond_chat',
  'end_conversation',
]);

function claimedTwice(told: readonly Logged[]): string[] {
  const owners = new Map<string, Set<string>>();
  for (const { tool, agent, answer } of told) {
    if (tool !== 'claim_task' || answer.kind !== 'ok') continue;
    const { task } = answer.value as { task?: { task_id: string } };
    if (task) owners.set(task.task_id, (owners.get(task.task_id) ?? new Set()).add(agent));
  }
  return [...owners].filter(([, by]) => by.size > 1).map(([task, by]) => `${task}: ${[...by].join(', ')}`);
}

async function lostFinishes(client: pg.Client, told: readonly Logged[]): Promise<string[]> {
  const finished = told.flatMap(({ tool, answer }) =>
    tool === 'report_completed' && answer.kind === 'ok' ? [String(answer.value.task_id)] : [],
  );
  const { rows } = await client.query<{ id: string; status: string | null }>(
    `select given.id, t.status from unnest($1::text[]) given (id) left join tasks t on t.id = given.id
     where t.status is distinct from 'done'`,
    [finished],
  );
  return rows.map(({ id, status }) => `${id}: ${status}`);
}

/** Calls and records have no id in common that a client sees, so they are counted, by tool and by who called. */
async function unrecorded(client: pg.Client, answered: readonly Logged[]): Promise<string[]> {
  const { rows } = await client.query<{ principal: string; tool: string; n: string }>(
    `select principal, tool, count(*) as n from
       (select principal, tool from audit union all select principal, tool from audit_inbox) records group by 1, 2`,
  );
  const recorded = new Map<string, number>();
  for (const { principal, tool, n } of rows) recorded.set(`${nameOf(principal)} ${tool}`, Number(n));
  const called = new Map<string, number>();
  for (const { agent, tool, input } of answered) {
    const who = speakerOf(agent, input);
    called.set(`${who} ${tool}`, (called.get(`${who} ${tool}`) ?? 0) + 1);
  }
  return [...called]
    .filter(([what, times]) => (recorded.get(what) ?? 0) < times)
    .map(([what, times]) => `${what}: ${times} answered, ${recorded.get(what) ?? 0} recorded`);
}

function speakerOf(agent: string, { session_token }: Logged['input']): string {
  return session_token === undefined ? 'fleet' : agent;
}

function nameOf(principal: string): string {
  return principal.slice(principal.lastIndexOf(':') + 1);
}

async function outOfTurn(client: pg.Client, told: readonly Logged[]): Promise<string[]> {
  const said = new Map<string, string[]>();
  for (const { tool, input, answer } of told) {
    if (answer.kind !== 'ok' || (tool !== 'start_conversation' && tool !== 'respond_chat')) continue;
    const id = String(answer.value.conversation_id);
    said.set(id, [...(said.get(id) ?? []), String(input.message ?? input.content)]);
  }
  const { rows } = await client.query<{ id: string; contents: string[]; froms: string[] }>(
    `select conversation_id as id, array_agg(content order by seq) as contents, array_agg(from_id order by seq) as froms
     from messages group by 1`,
  );
  const kept = new Map(rows.map((row) => [row.id, row]));
  return [...said].flatMap(([id, contents]) => {
    const { contents: there = [], froms = [] } = kept.get(id) ?? {};
    const isInOrder = contents.every((content, n) => there[n] === content);
    const alternates = froms.every((from, n) => n === 0 || from !== froms[n - 1]);
    // One more than was heard of may be there: its answer was lost.
    const isWhole = there.length >= contents.length && there.length <= contents.length + 1;
    return isInOrder && alternates && isWhole ? [] : [`${id}: said ${contents.length}, kept ${there.length}`];
  });
}

function brokenFiles(told: readonly Logged[], fileAt: (path: string) => string | undefined): string[] {
  return told.flatMap(({ tool, input }) => {
    if (tool !== 'file_write') return [];
    const path = String(input.path);
    return fileAt(path) === input.content ? [] : [path];
  });
}
