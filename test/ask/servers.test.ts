import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAskWorld } from './ask-world.ts';
import { calls, openScriptedModel, repeatsResult } from './scripted-model.ts';

const echo = join(import.meta.dirname, '../upstream/fixtures/server.ts');

test("a proxied server's tools are among the model's, on the same road", async () => {
  await using model = await openScriptedModel(
    calls(['far__echo', { text: 'hello there' }]),
    repeatsResult('It says: '),
  );
  using world = openAskWorld(model.url, {
    config: {
      models: { test: { model: 'm', url: model.url } },
      mode: 'full-access',
      mcpServers: { far: { command: process.execPath, args: [echo, 'none'], sandbox: 'off' } },
    },
  });

  const ran = await world.sekishoAsk('say hello far away');

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('hello there') });
  expect(await world.audited()).toMatchObject([{ tool: 'far__echo', outcome: 'ok' }]);
});
