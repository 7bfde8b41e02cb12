import { expect, test } from 'vitest';
import { createPolicy } from '../../src/call/policy/policy.ts';
import { ruleOn } from '../../src/call/policy/rule-on.ts';
import type { Mode, PolicyRule, Risk } from '../../src/contract/policy.ts';
import { text } from '../../src/contract/text/text.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';

const caller = { kind: 'local', principal: 'local', sessionId: 's', remote: false } as const;
// Only these are looked at.
const bash = { name: 'bash', uses: ['commands'], risk: () => ({}), annotations: {} } as unknown as Tool;
const write = { name: 'file_write', uses: ['files'], risk: () => ({}), annotations: {} } as unknown as Tool;
const judge = createCommandJudge();

interface Given {
  readonly rules?: readonly PolicyRule[];
  readonly mode?: Mode;
  readonly tryFirst?: boolean;
}

function policyOf({ rules = [], mode = 'workspace-write', tryFirst }: Given) {
  return createPolicy({ mode, rules, judge, roots: ['/workspace'], tryFirst });
}

function decide(script: string, given: Given = {}, more: Partial<NonNullable<Risk['command']>> = {}) {
  const line = { kind: 'script', script, shell: 'bash' } as const;
  const risk: Risk = { command: { line, dialect: 'plain', endsWithCall: true, ...more } };
  const { decision, rule, onLayer = false } = policyOf(given).decide(bash, caller, risk);
  return `${decision} by ${rule}${onLayer ? ' on a layer' : ''}`;
}

const tries: PolicyRule = { id: 'mine', command: ['make'], decision: 'try', because: 'look first' };

test('a rule has a command tried that would just run', () => {
  expect(decide('make all', { rules: [tries] })).toBe('try by mine on a layer');
  expect(decide('ls', { rules: [tries] })).toBe('allow by default');
});

test('what a layer contains does not speak against a command that is tried; the rest is asked or refused before', () => {
  const given = { rules: [tries] };
  expect(decide('make; rm -r *', given)).toBe('try by mine on a layer');
  expect(decide('make; git push origin main', given)).toBe('ask by sends on a layer');
  expect(decide('make; rm -r *; git push origin main', given)).toBe('ask by sends on a layer');
  expect(decide('make; reboot', given)).toBe('deny by machine-stop on a layer');
});

test('with tryFirst a command is tried where all that speaks against it is contained', () => {
  const given = { tryFirst: true };
  expect(decide('rm -r *', given)).toBe('try by rm-everything on a layer');
  expect(decide('find . -delete', given)).toBe('try by rm-everything on a layer');
  expect(decide('git push origin main', given)).toBe('ask by sends');
  expect(decide('rm -r *; git push origin main', given)).toBe('ask by sends on a layer');
  expect(decide('make all', given)).toBe('allow by default');
  expect(decide('rm -r *')).toBe('deny by rm-everything');
});

test('an ask or deny of the operator is stricter than trying', () => {
  expect(decide('rm -r *', { tryFirst: true })).toBe('try by rm-everything on a layer');
  const ask: PolicyRule = { id: 'asks', command: ['rm'], decision: 'ask', because: 'x' };
  expect(decide('rm -r *', { tryFirst: true, rules: [ask] })).toBe('ask by asks on a layer');
  const all: PolicyRule = { id: 'all', command: ['make'], decision: 'allow', because: 'x' };
  expect(decide('make', { rules: [tries, all] })).toBe('try by mine on a layer');
  expect(decide('make', { rules: [tries, { ...all, decision: 'deny' }] })).toBe('deny by all on a layer');
});

test('what goes on in the background, a dry run and a word to a running command are not tried', () => {
  const given = { rules: [{ ...tries, command: undefined, tool: 'commands' }], tryFirst: true } as const;
  expect(decide('make', given, { endsWithCall: false })).toBe('ask by mine');
  expect(decide('rm -r *', { tryFirst: true }, { endsWithCall: false })).toBe('deny by rm-everything');
  expect(decide('rm -r *', given, { dryRun: true })).toBe('allow by default');
  expect(policyOf(given).decide(bash, caller, {}).decision).toBe('allow');
});

test('full-access tries what a rule says, and nothing by itself', () => {
  expect(decide('make; rm -r *', { rules: [tries], mode: 'full-access' })).toBe('try by mine on a layer');
  expect(decide('rm -r *', { tryFirst: true, mode: 'full-access' })).toBe('deny by rm-everything');
});

/* Nothing says what these run. */
test.each([
  'eval "$(cat list)"',
  '"$PROGRAM" --version',
  '$(pick) push origin main',
  'sudo -u mai "$PROGRAM"',
  'nice -n 5 $PROGRAM',
  'bash -c "$SCRIPT"',
  'exec "$PROGRAM"',
  'xargs -I{} bash -c {} < list',
  'cat list | bash',
  'cat a b | sudo sh',
  'bash -s -- -y < list',
  'bash /dev/stdin < list',
  'env -i "$PROGRAM" x',
  'find . -exec "$PROGRAM" {} +',
  'timeout 5 $PROGRAM',
  'trap "$LINE" EXIT',
  'echo "unfinished',
])('an ask or a deny of the operator about a command holds for a line that is not read: %s', (line) => {
  for (const decision of ['ask', 'deny'] as const) {
    const mine: PolicyRule = { id: 'mine', command: ['terraform', 'apply'], decision, because: 'x' };
    expect(decide(line, { rules: [mine] })).toBe('ask by mine');
    expect(decide(line, { rules: [{ ...mine, tool: 'file_write' }] })).not.toContain('mine');
  }
});

test('a tool that runs no command is asked about instead, and says why', () => {
  const rules: PolicyRule[] = [{ id: 'w', tool: 'file_write', decision: 'try', because: 'look first' }];
  expect(policyOf({ rules }).decide(write, caller, { writes: ['a'] })).toMatchObject({
    decision: 'ask',
    because: { en: 'look first; it is not tried first: only commands can be tried' },
  });
});

test('where no layer can be had, a rule asks and says why, and the built-in rules stand', async () => {
  const why = async () => text('the kernel is too old', 'カーネルが古すぎます');
  const here = (script: string, given: Given) => {
    const line = { kind: 'script', script, shell: 'bash' } as const;
    return ruleOn(
      policyOf(given),
      bash,
      caller,
      { command: { line, dialect: 'plain', endsWithCall: true } },
      why,
    );
  };
  expect(await here('make', { rules: [tries] })).toMatchObject({
    decision: 'ask',
    rule: 'mine',
    because: { en: 'look first; it is not tried first: the kernel is too old' },
  });
  expect(await here('rm -r *', { tryFirst: true })).toMatchObject({
    decision: 'deny',
    rule: 'rm-everything',
  });
  expect(await here('ls', { tryFirst: true })).not.toHaveProperty('onLayer');
});
