import { expect, test } from 'vitest';
import { serveHttp } from '../../src/checkpoint/serving.ts';
import type { Reply } from '../../src/contract/call.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import { createCallCounts, maxProxiedTools } from '../../src/observe/call-counts.ts';
import { openTestCheckpoint, remote, type World } from '../support/open-test-checkpoint.ts';
import { openTeamCheckpoint } from '../team/world.ts';
import { habitual } from '../upstream/world.ts';

async function openServed(world: World = {}) {
  const opened = await openTestCheckpoint({ files: { 'a.txt': 'hello\n' }, ...world });
  const service = await serveHttp(opened.checkpoint, { host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${service.address.port}`;
  const { tokens } = await opened.checkpoint.store();
  return {
    ...opened,
    origin,
    token: async (role?: string, toolsets?: readonly string[]) =>
      (await tokens.create({ user: 'someone', role, toolsets })).token,
    read: (bearer: string | undefined, path = '/metrics', init: RequestInit = {}) =>
      fetch(`${origin}${path}`, {
        ...init,
        headers: { ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }), ...init.headers },
      }),
    async [Symbol.asyncDispose]() {
      await service.close();
      await opened.close();
    },
  };
}

/** `name{labels} value` lines by their left side. */
function samplesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test('/metrics says what calls came to, and nothing of who made them or of what', async () => {
  await using served = await openServed({ config: { toolsets: ['agent-cli'] } });
  const user = await served.token();
  await served.call('file_read', { path: 'a.txt' }, { arrival: remote(user) });
  await served.call('file_read', { path: 'secret-name.txt' }, { arrival: remote(user) });
  await served.call('file_read', { path: 5 }, { arrival: remote(user) });
  await served.call('file_read', { path: 'a.txt' }, { arrival: remote('wrong') });
  await served.call('no"such\ntool', {}, { arrival: remote(user) });

  const response = await served.read(await served.token('metrics'));
  const text = await response.text();
  const samples = samplesIn(text);

  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const calls = [...samples].filter(([name]) => name.startsWith('sekisho_calls_total'));
  expect(Object.fromEntries(calls)).toEqual({
    'sekisho_calls_total{tool="file_read",outcome="ok",code=""}': 1,
    'sekisho_calls_total{tool="file_read",outcome="error",code="not_found"}': 1,
    'sekisho_calls_total{tool="file_read",outcome="error",code="invalid_parameter"}': 1,
    'sekisho_calls_total{tool="file_read",outcome="error",code="unauthenticated"}': 1,
    'sekisho_calls_total{tool="other",outcome="error",code="not_found"}': 1,
  });
  expect(samples.get('sekisho_call_duration_seconds_count{tool="file_read"}')).toBe(4);
  expect(samples.get('sekisho_refusals_total{stop="validate",code="invalid_parameter"}')).toBe(1);
  expect(samples.get('sekisho_refusals_total{stop="authorize",code="unauthenticated"}')).toBe(1);
  expect(samples.get('sekisho_calls_running')).toBe(0);
  expect(samples.get('sekisho_store_up')).toBe(1);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(10e6);
  expect(text).toContain(`sekisho_build_info{version="0.0.0",node="${process.version}"} 1`);
  for (const word of ['someone', 'secret-name', 'no"such', served.root]) expect(text).not.toContain(word);
  // The delay of the event loop is measured from the first look on.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const again = samplesIn(await (await served.read(await served.token('metrics'))).text());
  expect(again.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
});

test('who may read /metrics: its own role and operators; agents, users and parts of the tools may not', async () => {
  await using served = await openServed({ config: { toolsets: ['agent-cli', 'collaboration'] } });
  const statusOf = async (bearer: string | undefined) => (await served.read(bearer)).status;

  expect(await statusOf(await served.token('metrics'))).toBe(200);
  expect(await statusOf(await served.token('operator'))).toBe(200);
  expect(await statusOf(await served.token('admin'))).toBe(200);
  expect(await statusOf(await served.token())).toBe(403);
  expect(await statusOf(await served.token('Metrics'))).toBe(403);
  expect(await statusOf(await served.token('admin', ['agent-cli']))).toBe(403);
  expect(await statusOf('sess_made-up')).toBe(401);
  // Agents come without a token and prove themselves later: not here.
  expect(await statusOf(undefined)).toBe(401);
  const { tokens } = await served.checkpoint.store();
  const { token, record } = await tokens.create({ user: 'p', role: 'metrics' });
  await tokens.revoke(record.id);
  expect(await statusOf(token)).toBe(401);
});

test('an agent in a session, and the coordinator, are turned away however they show who they are', async () => {
  await using team = await openTeamCheckpoint();
  const service = await serveHttp(team.checkpoint, { host: '127.0.0.1', port: 0 });
  await using _ = { [Symbol.asyncDispose]: () => service.close() };
  const read = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${service.address.port}/metrics`, { headers })).status;
  await team.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'm' });
  const { session_token = '' } = await team.authenticate('m');
  const { coordinator_token } = team.coordinator;

  expect(await read({ authorization: `Bearer ${session_token}` })).toBe(403);
  expect(await read({ 'sekisho-session-token': session_token })).toBe(401);
  expect(await read({ 'sekisho-coordinator-token': coordinator_token })).toBe(401);
  const { tokens } = await team.checkpoint.store();
  const { token } = await tokens.create({ user: 'p', role: 'metrics' });
  expect(await read({ authorization: `Bearer ${token}` })).toBe(200);
});

test('a token of the role metrics reads /metrics and can do nothing else', async () => {
  await using served = await openServed({ config: { toolsets: ['agent-cli'] } });
  const token = await served.token('metrics');
  const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };

  const calls = await served.read(token, '/mcp', post);
  const reply = await served.call('file_read', { path: 'a.txt' }, { arrival: remote(token) });
  const login = await (await served.checkpoint.store()).consoleSessions.enterByToken(token, Date.now());

  expect(calls.status).toBe(403);
  expect(await calls.text()).toContain('can only read /metrics');
  expect((await served.read(token, '/ask', post)).status).toBe(403);
  expect(reply).toMatchObject({ kind: 'error', code: 'forbidden' });
  expect((await served.checkpoint.gateway.list(remote(token))).tools).toEqual([]);
  expect(login).toBeUndefined();
  expect((await served.read(token, '/metrics', { method: 'POST' })).status).toBe(405);
  const head = await served.read(token, '/metrics', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('questions to a person, commands and proxied servers are measured', async () => {
  await using served = await openServed({
    config: {
      mode: 'workspace-write',
      toolsets: ['agent-cli'],
      approval: { waitMs: 50 },
      mcpServers: { fixture: habitual('none', undefined, { ask: 'changes' }) },
    },
  });
  await served.checkpoint.gateway.list({ transport: 'stdio', connectionId: 'c' });
  const asked = await served.call('fixture__echo', { text: 'x' });
  const pending = await served.read(await served.token('metrics'));

  expect(asked).toMatchObject({ kind: 'error', code: 'approval_pending' });
  const samples = samplesIn(await pending.text());
  expect(samples.get('sekisho_approvals_total{answer="unanswered"}')).toBe(1);
  expect(samples.get('sekisho_approval_wait_seconds_count')).toBe(1);
  expect(samples.get('sekisho_approval_wait_seconds_sum')).toBeGreaterThan(0.04);
  expect(samples.get('sekisho_approvals_pending')).toBe(1);
  expect(samples.get('sekisho_server_up{server="fixture"}')).toBe(1);
  expect(samples.get('sekisho_server_starts_total{server="fixture"}')).toBe(1);
  expect(samples.get('sekisho_sandbox_starts_total')).toBe(0);
  expect(samples.get('sekisho_commands_running{kind="background"}')).toBe(0);
});

test('names of proxied tools beyond the first hundred count together; those of ours do not', async () => {
  const counts = createCallCounts();
  const reply: Reply = { kind: 'output', content: [] };
  const tool = (name: string, server?: string) => ({ name, server }) as Tool;
  const call = { tool: '', input: {}, arrival: { transport: 'stdio' }, signal: AbortSignal.any([]) } as const;
  for (let n = 0; n < 10_000; n++) {
    counts.begin(call).ended({ reply, stop: 'run', tool: tool(`s__t${n}`, 's'), approver: undefined });
  }
  counts.begin(call).ended({ reply, stop: 'run', tool: tool('file_read'), approver: undefined });

  const samples = samplesIn(await counts.registry.metrics());
  const ok = (name: string) => samples.get(`sekisho_calls_total{tool="${name}",outcome="ok",code=""}`);
  expect([...samples.keys()].filter((name) => name.startsWith('sekisho_calls_total')).length).toBe(
    maxProxiedTools + 2,
  );
  expect(ok('other')).toBe(10_000 - maxProxiedTools);
  expect(ok('file_read')).toBe(1);
});

test('counting a call costs little beside its record', async () => {
  const counts = createCallCounts();
  const reply: Reply = { kind: 'output', content: [] };
  const end = { reply, stop: 'run' as const, tool: { name: 'file_read' } as Tool, approver: undefined };
  const call = { tool: '', input: {}, arrival: { transport: 'stdio' }, signal: AbortSignal.any([]) } as const;
  const times = process.env.SEKISHO_HAMMER === '1' ? 1_000_000 : 100_000;
  const count = (n: number) => {
    for (let at = 0; at < n; at++) {
      const watch = counts.begin(call);
      for (const stop of ['authorize', 'limit', 'validate', 'approve', 'run', 'record'] as const)
        watch.reached(stop);
      watch.ended(end);
    }
  };
  count(20_000);
  const before = process.cpuUsage();
  count(times);
  const { user, system } = process.cpuUsage(before);
  // Shown, not judged to the microsecond: the machine is shared. A tenth of what authorizing and recording may cost.
  console.info(`counting: ${((user + system) / times).toFixed(2)} µs of CPU a call`);
  expect((user + system) / times).toBeLessThan(20);
  const samples = samplesIn(await counts.registry.metrics());
  expect(samples.get('sekisho_call_duration_seconds_count{tool="file_read"}')).toBe(times + 20_000);
});
