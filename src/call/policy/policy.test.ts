import { expect, test } from 'vitest';
import { command, judge, local, policy, tool } from '../../../test/support/plain-policy.ts';
import type { Caller } from '../../contract/caller.ts';
import type { JudgeContext } from '../../contract/capabilities/judgement.ts';
import type { PolicyRule, Risk } from '../../contract/policy.ts';
import { text } from '../../contract/text/text.ts';
import { createPolicy, type PolicyOptions } from './policy.ts';

function decide(rules: readonly PolicyRule[], risk: Risk, caller = local, called = tool('bash')) {
  const { decision, rule } = policy(rules).decide(called, caller, risk);
  return `${decision} by ${rule}`;
}

test('how commands are read is set for every tool by the operator, and by each tool otherwise', () => {
  const read: string[] = [];
  const noting = {
    ...judge,
    judge: (line: Parameters<typeof judge.judge>[0], context: JudgeContext) => {
      read.push(context.dialect);
      return judge.judge(line, context);
    },
  };
  for (const judgement of [undefined, 'strict', 'plain'] as const) {
    createPolicy({
      mode: 'workspace-write',
      rules: [],
      judge: noting,
      roots: ['/workspace'],
      judgement,
    }).decide(tool('bash'), local, command('ls'));
  }
  expect(read).toEqual(['listed', 'strict', 'plain']);
});

test('with no rules the built-in judgement stands, and its place is in the words', () => {
  expect(policy().decide(tool('bash'), local, command('reboot now'))).toEqual({
    decision: 'deny',
    rule: 'judge-deny',
    because: { en: '`reboot now`: why.', ja: '`reboot now`: 理由。' },
    suggestion: undefined,
    excerpt: 'reboot now',
    others: 0,
  });
  expect(policy().decide(tool('x'), local, {})).toMatchObject({ decision: 'allow', rule: 'default' });
});

test('the strictest of all rules that fit wins, whatever their order', () => {
  const ask: PolicyRule = { id: 'a', tool: 'b*', decision: 'ask', because: 'x' };
  const deny: PolicyRule = { id: 'd', tool: 'bash', decision: 'deny', because: 'x' };
  const allow: PolicyRule = { id: 'w', tool: '*', decision: 'allow', because: 'x' };

  expect(decide([ask, deny, allow], {})).toBe('deny by d');
  expect(decide([allow, deny, ask], {})).toBe('deny by d');
  expect(decide([allow, ask], {})).toBe('ask by a');
});

test('an allow rule answers a question of the built-in rules and nothing else', () => {
  const push: PolicyRule = { command: ['git', 'push'], decision: 'allow', because: 'x' };

  expect(decide([push], command('git push origin'))).toBe('allow by rules[0]');
  expect(decide([push], command('git push ; sudo ls'))).toBe('ask by judge-ask');
  expect(decide([push], command('git push ; reboot'))).toBe('deny by judge-deny');
  expect(decide([push], command('git push $x'))).toBe('ask by judge-ask');
  expect(decide([{ tool: 'bash', decision: 'allow', because: 'x' }], command('git push'))).toBe(
    'ask by judge-ask',
  );
  const asks: Risk = { ask: text('It may change things.', '変更の可能性があります。') };
  expect(decide([], asks)).toBe('ask by tool-asks');
  expect(decide([{ tool: 'bash', decision: 'allow', because: 'x' }], asks)).toBe('allow by rules[0]');
  expect(decide([push], asks)).toBe('ask by tool-asks');
});

test.each([
  ['git remote add x y', true],
  ['git -C x push', true],
  ['git --no-pager -c a=b remote -v', true],
  ['/usr/bin/git push', true],
  ['GIT.EXE push', true],
  ['git $x', true],
  ['$x push', true],
  ['git log push', false],
  ['git log --grep push', false],
  ['git', false],
  ['echo git push', false],
  ['ls ; git push', true],
])('a deny rule for git push and remote sees %j: %j', (line, fits) => {
  const rule: PolicyRule = { command: ['git', ['push', 'remote']], decision: 'deny', because: 'x' };
  const rules = [{ ...rule, id: 'no-push' }];
  expect(decide(rules, command(line)) === 'deny by no-push').toBe(fits);
});

test('options of a command rule are found in every spelling', () => {
  const rules: PolicyRule[] = [
    { id: 'r', command: ['tar', ['-x', '--extract']], decision: 'deny', because: 'x' },
  ];
  for (const line of ['tar -x', 'tar -zxf a', 'tar a --extr', 'tar --extract=1']) {
    expect(decide(rules, command(line)), line).toBe('deny by r');
  }
  for (const line of ['tar -c', 'tar x']) expect(decide(rules, command(line)), line).toBe('allow by default');
});

test('a path rule compares without case and Unicode form, and covers the folder itself', () => {
  const rules: PolicyRule[] = [{ id: 'p', path: 'Secrets/**', decision: 'deny', because: 'x' }];
  for (const path of ['secrets', 'SECRETS/a', './secrets/a/b', 'secrets/.x']) {
    expect(decide(rules, { reads: ['a', path] }), path).toBe('deny by p');
    expect(decide(rules, { writes: [path] }), path).toBe('deny by p');
  }
  expect(decide(rules, { reads: ['secrets.txt', 'a/secrets'] })).toBe('allow by default');
  expect(
    decide([{ id: 'u', path: 'caf\u00e9', decision: 'deny', because: 'x' }], { reads: ['CAFE\u0301'] }),
  ).toBe('deny by u');
});

test('rules look at who calls: role, purpose, user, annotations, host', () => {
  const agent: Caller = {
    ...local,
    kind: 'worker',
    principal: 'agent:1',
    role: 'intern',
    session: { id: 's', agentId: '1', projectId: 'p', purpose: 'chat' },
  };
  const rule = (more: Partial<PolicyRule>): PolicyRule[] => [
    { id: 'r', decision: 'deny', because: 'x', ...more },
  ];

  expect(decide(rule({ role: 'intern' }), {}, agent)).toBe('deny by r');
  expect(decide(rule({ role: 'worker' }), {}, agent)).toBe('deny by r');
  expect(decide(rule({ role: 'intern' }), {}, local)).toBe('allow by default');
  expect(decide(rule({ purpose: 'chat' }), {}, agent)).toBe('deny by r');
  expect(decide(rule({ purpose: 'task' }), {}, agent)).toBe('allow by default');
  expect(decide(rule({ user: 'eve' }), {}, { ...local, kind: 'user', principal: 'user:eve' })).toBe(
    'deny by r',
  );
  expect(decide(rule({ annotations: { readOnly: true } }), {}, local, tool('a', { readOnly: true }))).toBe(
    'deny by r',
  );
  expect(decide(rule({ annotations: { readOnly: true } }), {})).toBe('allow by default');
  expect(decide(rule({ host: '*.Example.com' }), { hosts: ['ok.org', 'A.b.example.COM.:8080'] })).toBe(
    'deny by r',
  );
  expect(decide(rule({ host: '*.example.com' }), { hosts: ['example.com', 'example.com.evil.org'] })).toBe(
    'allow by default',
  );
  expect(decide(rule({ tool: 'github__*', host: 'x' }), { hosts: ['x'] })).toBe('allow by default');
});

test('modes: read-only denies changes, full-access answers questions and keeps denials', () => {
  const inMode = (mode: PolicyOptions['mode'], risk: Risk, called = tool('bash')) =>
    policy([{ id: 'p', command: ['npm', 'publish'], decision: 'ask', because: 'x' }], mode).decide(
      called,
      local,
      risk,
    ).decision;

  expect(inMode('read-only', { writes: ['a'] })).toBe('deny');
  expect(inMode('read-only', command('ls'))).toBe('deny');
  expect(inMode('read-only', { reads: ['a'] })).toBe('allow');
  expect(inMode('read-only', { reads: ['a'] }, tool('r', { readOnly: true }))).toBe('allow');
  expect(inMode('full-access', command('git push'))).toBe('allow');
  expect(inMode('full-access', command('reboot'))).toBe('deny');
  expect(inMode('full-access', command('npm publish'))).toBe('ask');
});

test.each<[PolicyRule, string]>([
  [
    { command: ['git', 'push'], decision: 'deny', because: 'x', match: ['git pull'] },
    'rules[0]: must match "git pull", but does not',
  ],
  [
    { id: 'a', command: ['git'], decision: 'deny', because: 'x', notMatch: ['ls ; git x'] },
    'a: must not match "ls ; git x", but does',
  ],
  [
    { path: 'a/*', decision: 'deny', because: 'x', match: ['a/b/c'] },
    'rules[0]: must match "a/b/c", but does not',
  ],
  [
    { host: '*.a.b', decision: 'deny', because: 'x', match: ['a.b'] },
    'rules[0]: must match "a.b", but does not',
  ],
  [
    { tool: 'x__*', decision: 'deny', because: 'x', notMatch: ['x__y'] },
    'rules[0]: must not match "x__y", but does',
  ],
  [
    { command: [], decision: 'deny', because: 'x' },
    'rules[0]: command must name a program, got an empty list',
  ],
  [
    { annotations: { readonly: true }, decision: 'deny', because: 'x' },
    'rules[0]: annotations has no "readonly"',
  ],
  [{ tool: '{a,b}'.repeat(20), decision: 'deny', because: 'x' }, 'too many alternatives'],
])('a rule that fails its own examples stops start-up: %j', (rule, message) => {
  expect(() => policy([rule])).toThrow(message);
});
