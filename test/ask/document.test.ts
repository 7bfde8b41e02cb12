import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAskWorld } from './ask-world.ts';
import { calls, openScriptedModel, repeatsResult, says } from './scripted-model.ts';

test('the examples of the document: a file shown, a colour kept, and the colour known in another run', async () => {
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'config.txt' }]),
    repeatsResult('内容: '),
    calls(['remember', { content: '好きな色は青', tags: ['preference'] }]),
    says('覚えました。'),
    calls(['recall', { query: '好きな色' }]),
    repeatsResult('覚えていること: '),
  );
  using world = openAskWorld(model.url, { files: { 'config.txt': 'port=8080\n' } });

  const shown = await world.sekishoAsk('config.txtの内容を表示して');
  expect(shown).toMatchObject({ code: 0, stdout: '内容: port=8080\n' });
  expect(shown.stderr).toMatch(/→ read_file \{"path":"config.txt"\}\n✓ read_file \d+ ms: port=8080/);

  const kept = await world.sekishoAsk('私の好きな色は青です。覚えておいて');
  expect(kept).toMatchObject({ code: 0, stdout: '覚えました。\n' });
  expect(kept.stderr).toContain('✓ remember');

  const known = await world.sekishoAsk('私の好きな色は何？');
  expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining('好きな色は青') });
  expect(model.seen.map((one) => one.body.messages.filter(({ role }) => role === 'user').length)).toEqual([
    1, 1, 1, 1, 1, 1,
  ]);
});

test('the model is offered the tools of the document, and writes in the folder of the day', async () => {
  await using model = await openScriptedModel(
    calls(['write_file', { path: 'memo.txt', content: 'hello' }]),
    says('Done.'),
  );
  using world = openAskWorld(model.url);

  expect(await world.sekishoAsk('write a memo')).toMatchObject({ code: 0, stdout: 'Done.\n' });

  const offered = model.seen[0]?.body.tools?.map((tool) => tool.function.name) ?? [];
  expect(offered).toEqual(
    expect.arrayContaining([
      'read_file',
      'write_file',
      'edit_file',
      'list_files',
      'glob',
      'grep',
      'bash',
      'web_fetch',
      'remember',
      'recall',
    ]),
  );
  expect(offered).not.toContain('file_read');
  const [day = ''] = readdirSync(join(world.root, 'output'));
  expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(existsSync(join(world.root, 'output', day, 'user_local', 'memo.txt'))).toBe(true);
});

test('flags and configuration say what the model may use', async () => {
  await using model = await openScriptedModel(says('.'));
  using world = openAskWorld(model.url, { config: { toolsets: ['vault'] } });

  await world.sekishoAsk('hello');
  await world.sekishoAsk('hello', {}, { flags: { toolsets: ['agent-cli'] } });

  const offered = model.seen.map(({ body }) => (body.tools ?? []).map((tool) => tool.function.name));
  expect(offered[0]).toContain('vault_read');
  expect(offered[0]).not.toContain('read_file');
  expect(offered[1]).toEqual(['help', 'file_read', 'file_write', 'shell_exec']);
});

test('the eleventh question within a minute is refused with the time to wait', async () => {
  await using model = await openScriptedModel(says('.'));
  using world = openAskWorld(model.url);
  const typed = Array.from({ length: 11 }, (_, index) => `question ${index + 1}\n`).join('');

  const ran = await world.sekishoAsk(undefined, {}, { typed, now: () => 1_000_000 });

  expect(ran.code).toBe(1);
  expect(model.seen).toHaveLength(10);
  expect(ran.stderr).toContain('rate_limited: Only 10 questions a minute are allowed. Try again in 60 s.');
});
