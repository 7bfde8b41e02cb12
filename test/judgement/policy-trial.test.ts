import { expect, test } from 'vitest';
import { z } from 'zod';
import { createPolicy } from '../../src/call/policy/policy.ts';
import {
  explainPolicy,
  renderExplanation,
  renderPreview,
  testPolicy,
} from '../../src/call/policy/policy-preview.ts';
import type { Mode, PolicyRule } from '../../src/contract/policy.ts';
import { text } from '../../src/contract/text/text.ts';
import { defineTool, defineToolset } from '../../src/contract/tool/define-tool.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { listBuiltinRules } from '../../src/judgement/rules/builtin.ts';

const [shell] = defineToolset('t', [
  defineTool({
    name: 'shell',
    category: 'shell',
    title: text('Run', '実行'),
    description: text('Run a command.', 'コマンドを実行します。'),
    permission: 'authenticated',
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    uses: [],
    input: z.object({ command: z.string().describe('Command.') }),
    output: z.object({}),
    ja: { command: 'コマンド。' },
    example: { command: 'ls' },
    risk: ({ command }) => ({
      command: { line: { kind: 'script', script: command, shell: 'bash' }, dialect: 'listed' },
    }),
    run: async () => ({}),
  }),
]).tools;

function trial(
  json: string,
  rules: readonly PolicyRule[] = [],
  mode: Mode = 'workspace-write',
  network?: readonly string[],
) {
  const confinement = network && { network };
  const policy = createPolicy({
    mode,
    rules,
    judge: createCommandJudge(),
    roots: ['/workspace'],
    confinement,
  });
  return testPolicy(json, {
    find: (name) => (name === shell?.name ? shell : undefined),
    caller: { kind: 'local', principal: 'local', sessionId: 's', remote: false },
    refusal: () => undefined,
    risk: async (tool, input) => (await tool.risk?.(input, {} as never)) ?? {},
    policy,
    whyNoLayer: async () => undefined,
  });
}

test('a trial says what would happen, by which rule, and what a standing yes would allow', async () => {
  const asked = await trial('{"tool":"shell","arguments":{"command":"git push origin main"}}');

  expect(asked).toMatchObject({ decision: 'ask', rule: 'sends' });
  expect(renderPreview(asked, 'en')).toBe(
    'ask (rule sends): `git push origin main`: it sends data, or changes what others see or use.\n' +
      "It needs a person's approval.\n" +
      'Allowing similar calls would allow: {"tool":"shell","command":["git","push"],"decision":"allow"}',
  );
});

test('a trial shows the operator rule that decides', async () => {
  const rules: PolicyRule[] = [
    { id: 'no-npm', command: ['npm'], decision: 'deny', because: 'pnpm is used here' },
  ];
  const denied = await trial('{"name":"shell","arguments":{"command":"cd a && npm test"}}', rules);

  expect(renderPreview(denied, 'en')).toBe('deny (rule no-npm): pnpm is used here');
});

test.each([
  ['nonsense', 'the call must be JSON'],
  ['[]', 'the call must be JSON'],
  ['{"tool":"nope"}', 'there is no tool named nope'],
  ['{"tool":"shell"}', 'command: is required'],
])('a call that could not be made is told so: %s', async (json, message) => {
  const { decision, because } = await trial(json);
  expect(decision).toBe('invalid');
  expect(because.en).toContain(message);
});

test('the explanation lists every rule in force with its decision in this mode', () => {
  const rules: PolicyRule[] = [{ command: ['npm'], decision: 'deny', because: 'pnpm is used here' }];
  const effectRules = [{ id: 'rules[1]', effect: { writes: '.github/**' }, then: 'deny' } as const];
  const builtin = listBuiltinRules();
  const explained = explainPolicy({ mode: 'full-access', rules, builtin, effectRules, network: [] });
  const shown = renderExplanation(explained, 'ja');
  const strict = renderExplanation({ ...explained, judgement: 'strict' }, 'en');

  expect(explained.builtin.filter(({ decision }) => decision === 'ask')).toEqual([]);
  expect(shown).toContain('コマンドの読み方 (process.judgement): ツールごと');
  expect(strict).toContain('How commands are read (process.judgement): strict\n');
  expect(strict).toContain('  eval [from strict on]: ');
  expect(shown).toContain('  deny  rules[1]: {"writes":".github/**"}');
  expect(shown).toContain('  ask   effect-loses-many [試したものだけ]: ほかのどこにも');
  expect(shown).toContain('rules[0]: pnpm is used here  {"command":["npm"]}');
  for (const { id } of listBuiltinRules()) expect(shown).toContain(`  ${id}`);
});

test('an allowed call names the rule of the operator, or the mode, that answered for a person', async () => {
  const push = '{"tool":"shell","arguments":{"command":"git push origin main"}}';
  const rules: PolicyRule[] = [
    { id: 'ours', command: ['git', 'push'], decision: 'allow', because: 'reviewed' },
  ];

  expect(renderPreview(await trial(push, rules), 'en')).toBe('allow (rule ours): reviewed');
  expect(await trial(push, [], 'full-access')).toMatchObject({ decision: 'allow', rule: 'mode-full-access' });
  const inMode = (mode: 'full-access' | 'workspace-write') =>
    renderExplanation(explainPolicy({ mode, rules, builtin: [], effectRules: [], network: [] }), 'en');
  const words = 'does not ask; what the built-in rules deny stays denied';
  expect(inMode('full-access')).toContain(words);
  expect(inMode('workspace-write')).not.toContain(words);
  const reboot = '{"tool":"shell","arguments":{"command":"reboot"}}';
  expect(await trial(reboot, [], 'full-access')).toMatchObject({ decision: 'deny' });
  expect(await trial('{"tool":"shell","arguments":{"command":"ls"}}', rules)).toMatchObject({
    decision: 'allow',
    rule: 'default',
  });
});

test('an asked command is judged once, for the verdict and for what a standing yes would allow', async () => {
  const judge = createCommandJudge();
  let judged = 0;
  const counting = {
    ...judge,
    judge: (...given: Parameters<typeof judge.judge>) => {
      judged += 1;
      return judge.judge(...given);
    },
  };
  const policy = createPolicy({ mode: 'workspace-write', rules: [], judge: counting, roots: ['/workspace'] });
  await testPolicy('{"tool":"shell","arguments":{"command":"git push origin main"}}', {
    find: () => shell,
    caller: { kind: 'local', principal: 'local', sessionId: 's', remote: false },
    refusal: () => undefined,
    risk: async (tool, input) => (await tool.risk?.(input, {} as never)) ?? {},
    policy,
    whyNoLayer: async () => undefined,
  });
  expect(judged).toBe(1);
});

test.each([
  ['git push origin main', 'ask', 'sends'],
  ['npm ci', 'ask', 'package-manager'],
  ['sudo apt install jq', 'ask', 'superuser'],
  ['docker run alpine', 'ask', 'container'],
  ['docker ps', 'allow', 'default'],
  ['npm ci --offline', 'allow', 'default'],
  ['npm uninstall left-pad', 'allow', 'default'],
  ["pip install -e '.[dev]'", 'allow', 'default'],
  ['python3 -m pip install ./local', 'allow', 'default'],
  ['npm --prefix web uninstall left-pad', 'ask', 'package-manager'],
  ['git push ../mirror.git', 'ask', 'sends'],
  ['kill 123', 'ask', 'kill'],
])('what the document lists does not run without approval: %s', async (command, decision, rule) => {
  const json = JSON.stringify({ tool: 'shell', arguments: { command } });
  expect(await trial(json, [], 'workspace-write', [])).toMatchObject({ decision, rule });
});

test('an allow of the operator answers for what the document lists', async () => {
  const push = '{"tool":"shell","arguments":{"command":"git push origin main"}}';
  const allow: PolicyRule = { command: ['git', 'push'], decision: 'allow', because: 'Mine.' };
  expect(await trial(push, [], 'workspace-write', ['github.com'])).toMatchObject({ decision: 'ask' });
  expect(await trial(push, [allow], 'workspace-write', [])).toMatchObject({ decision: 'allow' });
});
