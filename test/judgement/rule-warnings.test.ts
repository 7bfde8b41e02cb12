import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ConfigFile } from '../../src/config/schema.ts';
import { text } from '../../src/contract/text/text.ts';
import { defineTool, defineToolset } from '../../src/contract/tool/define-tool.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

async function warnings(config: ConfigFile): Promise<readonly string[]> {
  await using world = await openTestCheckpoint({ config });
  const found = await (await world.checkpoint.policy()).warnings();
  return found.map(({ rule, because }) => `${rule}: ${because.en}`);
}

const deny = { decision: 'deny' as const, because: 'no' };

test.each<[string, ConfigFile, readonly RegExp[]]>([
  ['an unknown tool', { rules: [{ ...deny, tool: 'shel_exec' }] }, [/^rules\[0\]: .*no tool "shel_exec"/]],
  [
    'a tool of a toolset that is not served',
    { rules: [{ ...deny, id: 'mine', tool: 'vault_create' }] },
    [/^mine: .*"vault_create" belongs to the toolset vault/],
  ],
  [
    'one tool for commands of two',
    { toolsets: ['agent-cli', 'assistant'], rules: [{ ...deny, tool: 'shell_exec', command: ['git'] }] },
    [/applies to shell_exec and not to bash, bash_input; "tool": "commands"/],
  ],
  ['one tool for commands alone', { rules: [{ ...deny, tool: 'shell_exec' }] }, []],
  ['all commands', { toolsets: ['agent-cli', 'assistant'], rules: [{ ...deny, tool: 'commands' }] }, []],
  ['a pattern that fits', { rules: [{ ...deny, tool: 'file_*' }] }, []],
  ['no tool', { rules: [{ ...deny, command: ['git'] }] }, []],
  [
    'a server whose tools are not known yet',
    { servers: [{ name: 'far', command: 'false' }], rules: [{ ...deny, tool: 'far__look' }] },
    [],
  ],
])('a rule for %s', async (_, config, expected) => {
  const found = await warnings(config);
  expect(found).toHaveLength(expected.length);
  for (const [place, words] of expected.entries()) expect(found[place]).toMatch(words);
});

test('a rule for "commands" holds for every tool that runs them, and for no other', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli', 'assistant'], rules: [{ ...deny, tool: 'commands' }] },
    files: { 'a.txt': 'x' },
  });
  for (const tool of ['shell_exec', 'bash']) {
    expect(errorOf(await world.call(tool, { command: 'ls' }))).toMatchObject({ code: 'denied' });
  }
  outputOf(await world.call('bash_list', {}));
  outputOf(await world.call('file_read', { path: 'a.txt' }));
});

const own = defineToolset('own', [
  defineTool({
    name: 'own_act',
    category: 'own',
    title: text('Act', '行う'),
    description: text('Acts.', '行います。'),
    permission: 'authenticated',
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    uses: [],
    input: z.object({}),
    output: z.object({}),
    ja: {},
    example: {},
    run: async () => ({}),
  }),
]);

test("a trial knows the embedder's tools and the role of the person here, as a call does", async () => {
  const rules = [{ tool: 'own_act', role: 'guest', decision: 'deny' as const, because: 'Guests look only.' }];
  await using world = await openTestCheckpoint({
    config: { rules },
    options: { localRole: 'guest', toolsets: [own] },
  });
  const trial = await (await world.checkpoint.policy()).test('{"tool":"own_act"}');
  expect(trial).toMatchObject({ decision: 'deny', rule: 'rules[0]' });
  expect(errorOf(await world.call('own_act', {}))).toMatchObject({ code: 'denied' });
});
