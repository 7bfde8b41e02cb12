import { expect, test } from 'vitest';
import { openAskWorld } from './ask-world.ts';
import { calls, openScriptedModel, says } from './scripted-model.ts';

test('the first example of the document: a file is read and its content answered', async () => {
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'config.txt' }]),
    (seen, response) =>
      says(`内容は ${seen.body.messages.at(-1)?.content} です。`)(seen, response, undefined as never),
  );
  using world = openAskWorld(model.url, { files: { 'config.txt': 'port=8080\n' } });

  const ran = await world.sekishoAsk('config.txtの内容を表示して');

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('port=8080') });
  expect(ran.stderr).toMatch(/→ read_file \{"path":"config.txt"\}\n✓ read_file \d+ ms: port=8080/);
  expect(model.seen[0]?.authorization).toBe('Bearer sk-secret');
});
