/** Document 002's callers, each with a connection of its own to one team. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallAnswer, openServed, type Served } from '../served.ts';
import { command } from './bench.ts';

type Kind = 'anonymous' | 'coordinator' | 'manager task' | 'manager chat' | 'worker task' | 'worker chat';
interface Caller extends Served {
  as(name: string, input?: object): Promise<CallAnswer>;
}

const coordinatorToken = 'c'.repeat(40);
const passkey = 'p'.repeat(40);

/** The results of document 002's points, by their English text. */
export async function tryTeam(): Promise<ReadonlyMap<string, unknown>> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-documents-')));
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'sekisho.jsonc'), '{}');
  const agent = (id: string, hierarchy: string) => ({ id, name: id, hierarchy, projects: ['p'], passkey });
  writeFileSync(
    join(folder, 'team.jsonc'),
    JSON.stringify({
      projects: [{ id: 'p', name: 'P' }],
      agents: [
        agent('m', 'manager'),
        agent('m2', 'manager'),
        agent('a', 'worker'),
        agent('b', 'worker'),
        agent('j', 'worker'),
      ],
      coordinator_token: coordinatorToken,
    }),
  );
  command(folder, ['team', 'apply', join(folder, 'team.jsonc'), '--yes']);
  for (const id of ['m', 'm2', 'a', 'b', 'j'])
    command(folder, ['task', 'add', '--project', 'p', '--title', `Work of ${id}`, '--assign', id]);
  const callers: Caller[] = [];
  const open = async (more: object = {}, locale = 'en'): Promise<Caller> => {
    const args = ['--toolsets', 'collaboration', '--locale', locale];
    const served = await openServed({ folder, args });
    callers.push({ ...served, as: (name, input = {}) => served.call(name, { ...input, ...more }) });
    return callers.at(-1) as Caller;
  };
  const enter = async (id: string, purpose: string, locale = 'en') => {
    const caller = await open({}, locale);
    const { text, isError } = await caller.call('authenticate', {
      agent_id: id,
      passkey,
      project_id: 'p',
      purpose,
    });
    if (isError) throw new Error(text);
    return caller;
  };
  try {
    const anonymous = await open();
    const coordinator = await open({ coordinator_token: coordinatorToken });
    // Each talks through its own chat session, which the delegation makes work for.
    for (const [id, other] of [
      ['m2', 'b'],
      ['b', 'a'],
    ] as const) {
      const sender = await enter(id, 'task');
      await sender.call('claim_task');
      await sender.call('delegate_to_chat_session', { target_agent_id: other, purpose: 'Talk' });
    }
    const by: Readonly<Record<Kind, Caller>> = {
      anonymous,
      coordinator,
      'manager task': await enter('m', 'task'),
      'manager chat': await enter('m2', 'chat'),
      'worker task': await enter('a', 'task'),
      'worker chat': await enter('b', 'chat'),
    };
    return await tried(by, await enter('j', 'task', 'ja'));
  } finally {
    for (const caller of callers) await caller.close(true);
    rmSync(folder, { recursive: true, force: true });
  }
}

const chatTools = [
  ...['get_pending_messages', 'respond_chat', 'start_conversation', 'end_conversation', 'send_message'],
];

async function tried(by: Readonly<Record<Kind, Caller>>, japanese: Caller) {
  const results = new Map<string, unknown>();
  const shown = new Map<Kind, readonly string[]>();
  const said = new Map<Kind, Readonly<Record<string, unknown>>>();
  for (const [kind, caller] of Object.entries(by) as [Kind, Caller][]) {
    const { data } = await caller.as('help');
    said.set(kind, data);
    shown.set(
      kind,
      (data.available_tools as { readonly name: string }[]).map(({ name }) => name),
    );
  }
  const has = (kind: Kind, ...names: readonly string[]) =>
    names.every((name) => shown.get(kind)?.includes(name)) || [kind, names, shown.get(kind)];
  const hasNo = (kind: Kind, ...names: readonly string[]) =>
    !names.some((name) => shown.get(kind)?.includes(name)) || [kind, shown.get(kind)];
  const every = (...found: readonly unknown[]) => found.find((each) => each !== true) ?? true;
  const words = async (kind: Kind, name: string, expected: string) => {
    const { isError, error, text } = await by[kind].as(name);
    return (isError && error.message === expected) || text.slice(0, 200);
  };
  const chatOnly = (name: string, purpose = 'task') =>
    `Tool '${name}' requires a chat session. Current session purpose is '${purpose}'.`;

  const taskOnly =
    "Tool 'delegate_to_chat_session' requires a task session. Current session purpose is 'chat'.";
  const apart = every(
    await words('worker task', 'respond_chat', chatOnly('respond_chat')),
    await words('worker chat', 'delegate_to_chat_session', taskOnly),
  );
  results.set(
    'A session has a purpose, `task` or `chat`; sessions of one purpose cannot call tools reserved for the other',
    apart,
  );
  for (const name of chatTools)
    results.set(
      `\`${name}\` has the permission chatOnly`,
      every(
        has('worker chat', name),
        has('manager chat', name),
        hasNo('worker task', name),
        hasNo('anonymous', name),
        await words('manager task', name, chatOnly(name)),
      ),
    );
  results.set(
    '`delegate_to_chat_session` has the permission taskOnly',
    every(
      has('worker task', 'delegate_to_chat_session'),
      hasNo('worker chat', 'delegate_to_chat_session'),
      await words('manager chat', 'delegate_to_chat_session', taskOnly),
    ),
  );
  for (const name of ['get_my_task', 'report_completed'])
    results.set(
      `\`${name}\` has the permission authenticated`,
      every(
        ...(['manager task', 'manager chat', 'worker task', 'worker chat'] as const).map((kind) =>
          has(kind, name),
        ),
        hasNo('anonymous', name),
        await words('anonymous', name, `Tool '${name}' requires authentication.`),
      ),
    );
  for (const name of ['help', 'authenticate'])
    results.set(
      `\`${name}\` has the permission unauthenticated`,
      every(...[...shown.keys()].map((kind) => has(kind, name))),
    );
  const task = await by['worker chat'].as('list_tasks');
  results.set(
    'A chat session can read tasks',
    every(has('worker chat', 'get_task'), !task.isError || task.text),
  );
  results.set(
    'A task session communicates through `delegate_to_chat_session`',
    has('manager task', 'delegate_to_chat_session'),
  );
  results.set(
    'A chat tool called without a session answers that authentication is required',
    await words('anonymous', 'respond_chat', "Tool 'respond_chat' requires authentication."),
  );
  results.set(
    "`Tool 'respond_chat' requires a chat session. Current session purpose is 'task'.`, word for word",
    await words('worker task', 'respond_chat', chatOnly('respond_chat')),
  );
  results.set(
    "`Tool 'xxx' requires a task session. Current session purpose is 'chat'.`, word for word",
    await words('worker chat', 'delegate_to_chat_session', taskOnly),
  );
  results.set(
    'help describes the caller: kind, purpose, agent and project',
    JSON.stringify(said.get('worker chat')?.context) ===
      '{"caller_type":"worker","session_purpose":"chat","agent_id":"b","project_id":"p"}' ||
      said.get('worker chat')?.context,
  );
  results.set(
    'help shows to an unauthenticated caller: `authenticate` and `help`',
    JSON.stringify(shown.get('anonymous')?.toSorted()) === '["authenticate","help"]' ||
      shown.get('anonymous'),
  );
  results.set(
    'help shows to the coordinator: `health_check`, `list_managed_agents`, `get_agent_action` and similar tools',
    has('coordinator', 'health_check', 'list_managed_agents', 'get_agent_action'),
  );
  for (const [role, own] of [
    ['manager', 'assign_task'],
    ['worker', 'report_execution_start'],
  ] as const) {
    results.set(
      `help shows to a ${role} with a task: the ${role} and common tools, no chat tools`,
      every(has(`${role} task`, own, 'get_my_task'), hasNo(`${role} task`, ...chatTools)),
    );
    results.set(
      `help shows to a ${role} in a chat: the ${role}, common and chat tools`,
      has(`${role} chat`, own, 'get_my_task', ...chatTools),
    );
  }
  const unavailable = said.get('worker task')?.unavailable_info as Readonly<Record<string, string>>;
  results.set(
    '`unavailable_info` gives the reason why other tools cannot be called',
    /chat/.test(unavailable?.chat_tools ?? '') || unavailable,
  );
  const hidden = (await by['worker task'].as('help', { tool_name: 'respond_chat' })).data;
  results.set(
    'An unavailable tool is shown with the reason, without its parameters',
    (hidden.available === false &&
      typeof hidden.reason === 'string' &&
      !Object.hasOwn(hidden, 'parameters')) ||
      hidden,
  );
  const { reason } = (await japanese.as('help', { tool_name: 'respond_chat' })).data;
  results.set(
    'In Japanese, the reason is the sentence in the document',
    reason ===
      'このツールはpurpose=chatのセッションでのみ利用可能です。現在のセッションはpurpose=taskです。' ||
      reason,
  );
  results.set('Permission is checked again when a listed tool is called', apart);
  const report = (await by['worker task'].as('help', { tool_name: 'report_completed' })).data;
  const parameters = (report.parameters ?? []) as readonly {
    readonly name: string;
    readonly enum?: unknown;
  }[];
  results.set(
    'help shows the choices of `report_completed`: success, failed, blocked',
    JSON.stringify(parameters.find(({ name }) => name === 'result')?.enum) ===
      '["success","failed","blocked"]' || report,
  );
  results.set(
    'Each listed tool has a name, a description and a category',
    ((said.get('worker task')?.available_tools ?? []) as readonly Readonly<Record<string, unknown>>[]).every(
      (tool) =>
        typeof tool.name === 'string' &&
        typeof tool.description === 'string' &&
        typeof tool.category === 'string',
    ),
  );
  results.set(
    'tools/list without a session names `authenticate` and `help` among the tools',
    await by.anonymous
      .tools()
      .then((tools) => ['authenticate', 'help'].every((name) => tools.some((tool) => tool.name === name))),
  );
  return results;
}
