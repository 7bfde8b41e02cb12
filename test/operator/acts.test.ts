import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Acts, TeamChanges } from '../../src/contract/people/operator.ts';
import type { Person } from '../../src/contract/people/person.ts';
import { verbatim } from '../../src/contract/text/text.ts';

let folder = '';
let checkpoint: Checkpoint;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-acts-'));
  mkdirSync(join(folder, 'root'));
  const config = join(folder, 'sekisho.json');
  // Nobody listens there: what is done to the server at our end needs no answer of it.
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { far: { url: 'http://127.0.0.1:9/mcp', oauth: {} } } }),
  );
  const settings = loadSettings({ root: join(folder, 'root'), state: join(folder, 'state'), config });
  checkpoint = await openCheckpoint(settings);
});
afterAll(async () => {
  await checkpoint.close();
  rmSync(folder, { recursive: true, force: true });
});

const ada: Person = { name: 'cli:ada', principal: 'local', isOperator: true, face: 'cli' };
const eve: Person = { name: 'console:user:eve', principal: 'user:eve', isOperator: false, face: 'console' };

interface Case {
  readonly tool: string;
  readonly act: (acts: Acts) => Promise<unknown>;
  /** How the record ends when an operator does it here; default: ok. */
  readonly code?: string;
  /** What is done to one's own, and what everybody may. */
  readonly everybody?: true;
}

const agent = { id: 'a1', name: 'A', hierarchy: 'worker', passkey: 'a-passkey-of-this-test' } as const;
const secret = 'coord_of-this-test';

const teamCases: { readonly [C in keyof TeamChanges]: Case } = {
  addProject: { tool: 'sekisho project add', act: ({ team }) => team.addProject({ id: 'p', name: 'P' }) },
  changeProject: {
    tool: 'sekisho project change',
    act: ({ team }) => team.changeProject('p', { status: 'active' }),
  },
  addAgent: { tool: 'sekisho agent add', act: ({ team }) => team.addAgent(agent) },
  changeAgent: {
    tool: 'sekisho agent change',
    act: ({ team }) => team.changeAgent('a1', { passkey: 'another-passkey-of-it' }),
  },
  assign: { tool: 'sekisho project assign', act: ({ team }) => team.assign('a1', 'p') },
  addTask: { tool: 'sekisho task add', act: ({ team }) => team.addTask({ projectId: 'p', title: 'T' }) },
  writeTo: { tool: 'sekisho chat', act: ({ team }) => team.writeTo('a1', 'p', 'Hello?') },
  assignTask: {
    tool: 'sekisho task assign',
    act: ({ team }) => team.assignTask('none', 'a1'),
    code: 'invalid_parameter',
  },
  cancelTask: {
    tool: 'sekisho task cancel',
    act: ({ team }) => team.cancelTask('none'),
    code: 'invalid_parameter',
  },
  setCoordinatorToken: {
    tool: 'sekisho coordinator token',
    act: ({ team }) => team.setCoordinatorToken(secret),
  },
  unassign: { tool: 'sekisho project unassign', act: ({ team }) => team.unassign('a1', 'p') },
  removeAgent: { tool: 'sekisho agent remove', act: ({ team }) => team.removeAgent('a1') },
};

const cases: { readonly [A in Exclude<keyof Acts, 'team'>]: Case } = {
  answer: {
    tool: 'sekisho approve',
    act: async (acts) => acts.answer(await ask(), { decision: 'approved', scope: 'session' }),
  },
  answerAll: {
    tool: 'sekisho approve',
    act: async (acts) => acts.answerAll([await ask()], { decision: 'declined', scope: 'once' }),
  },
  revokeGrant: {
    tool: 'sekisho approve revoke',
    act: async (acts) => acts.revokeGrant((await grants())[0]?.id ?? 'none'),
  },
  createToken: {
    tool: 'sekisho token create',
    act: (acts) =>
      acts.createToken({ user: 'bob', role: undefined, toolsets: undefined, expiresAtMs: undefined }),
  },
  revokeToken: {
    tool: 'sekisho token revoke',
    act: async (acts) => acts.revokeToken((await (await checkpoint.store()).tokens.list())[0]?.id ?? 'none'),
  },
  halt: { tool: 'sekisho halt', act: (acts) => acts.halt() },
  resume: { tool: 'sekisho resume', act: (acts) => acts.resume() },
  setSecret: { tool: 'sekisho secret set', act: (acts) => acts.setSecret('github', secret) },
  approveServer: {
    tool: 'sekisho server approve',
    act: (acts) => acts.approveServer('far', 'old'),
    code: 'conflict',
  },
  forgetServer: { tool: 'sekisho server forget', act: (acts) => acts.forgetServer('far') },
  logInServer: {
    tool: 'sekisho server login',
    act: (acts) => acts.logInServer('far', { show: () => {} }),
    code: 'unavailable',
  },
  logOutServer: { tool: 'sekisho server logout', act: (acts) => acts.logOutServer('far'), code: 'not_found' },
  undo: { tool: 'sekisho undo', act: (acts) => acts.undo({ id: 'none' }) },
  importMemories: {
    tool: 'sekisho memory import',
    act: (acts) => acts.importMemories('local', ['{"content": "Tea at four."}']),
  },
  changeMemory: {
    tool: 'sekisho memory',
    act: (acts) => acts.changeMemory('local', 'none', { content: 'Tea at five.' }),
    code: 'not_found',
  },
  forgetMemory: {
    tool: 'sekisho memory',
    act: (acts) => acts.forgetMemory('local', 'none'),
    code: 'not_found',
  },
  testNotice: { tool: 'sekisho notify test', act: (acts) => acts.testNotice('none'), code: 'not_found' },
  addDevice: {
    tool: 'sekisho notify device',
    act: (acts) =>
      acts.addDevice({
        label: 'Phone',
        endpoint: 'https://fcm.googleapis.com/x-passkey-y',
        locale: 'en',
        createdAtMs: 1,
        keys: { p256dh: 'coord_key', auth: 'coord_auth' },
      }),
  },
  removeDevice: {
    tool: 'sekisho notify device',
    act: (acts) => acts.removeDevice('none'),
    code: 'not_found',
  },
  addPasskey: {
    tool: 'sekisho passkey add',
    act: (acts) =>
      acts.addPasskey({
        id: 'c1',
        person: 'ada',
        tokenId: undefined,
        host: 'localhost',
        label: 'Phone',
        publicKey: 'coord_public',
        counter: 0,
        transports: [],
      }),
  },
  removePasskey: {
    tool: 'sekisho passkey remove',
    act: (acts) => acts.removePasskey('none'),
    code: 'not_found',
  },
  entered: { tool: 'sekisho console', act: (acts) => acts.entered('127.0.0.1'), everybody: true },
};

async function ask(): Promise<string> {
  const nowMs = Date.now();
  const { approvals } = await checkpoint.store();
  const { id } = await approvals.request(
    {
      principal: 'user:eve',
      sessionId: 's',
      tool: 'shell_exec',
      digest: `d${nowMs}`,
      message: verbatim('git push'),
      rule: 'r',
      createdAtMs: nowMs,
      expiresAtMs: nowMs + 60_000,
      grant: 'g',
    },
    nowMs,
  );
  return id;
}

async function grants() {
  return (await checkpoint.store()).approvals.grants(Date.now());
}

async function recordsAfter(work: () => Promise<unknown>) {
  const { audit } = await checkpoint.store();
  const newest = (await audit.search({ limit: 1, newestFirst: true }))[0]?.seq;
  await work().catch(() => undefined);
  return audit.search({ limit: 10, afterSeq: newest });
}

describe.each(Object.entries({ ...cases, ...teamCases }))('%s', (_name, { tool, act, code, everybody }) => {
  test('leaves exactly one record of who did what, and what came of it', async () => {
    const acts = (await checkpoint.operator()).as(ada);
    const records = await recordsAfter(() => act(acts));
    expect(records).toMatchObject([
      { tool, principal: 'cli:ada', transport: 'cli', stop: 'run', outcome: code ? 'error' : 'ok' },
    ]);
    expect(records[0]?.code).toBe(code);
    expect(JSON.stringify(records)).not.toMatch(/-passkey-|coord_/);
  });

  test('done by somebody who may not, is refused and recorded as that', async () => {
    const acts = (await checkpoint.operator()).as(eve);
    const records = await recordsAfter(() => act(acts));
    expect(records).toMatchObject([
      everybody
        ? { tool, principal: 'console:user:eve', outcome: 'ok' }
        : { tool, principal: 'console:user:eve', transport: 'console', outcome: 'error', code: 'forbidden' },
    ]);
  });
});

test('a person may change their own memories, and nobody answers for their own calls by a token', async () => {
  const operator = await checkpoint.operator();
  const acts = operator.as(eve);
  expect(await acts.importMemories('user:eve', ['{"content": "Mine."}'])).toEqual({
    stored: 1,
    duplicates: 0,
  });
  const admin = operator.as({ ...eve, isOperator: true });
  expect(await admin.answer(await ask(), { decision: 'approved', scope: 'once' })).toMatchObject({
    outcome: 'own',
  });
  expect(await admin.answer('none', { decision: 'approved', scope: 'once' })).toEqual({ outcome: 'gone' });
});
