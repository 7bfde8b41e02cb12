import { expect, test } from 'vitest';
import { chooseModel } from '../../src/cli/ask/model.ts';
import { modelsOf } from '../../src/config/models.ts';
import { openAskWorld } from './ask-world.ts';

const models = modelsOf({
  fast: { model: 'qwen3' },
  smart: { model: 'glm-4.7', url: 'https://models.example/v1/', keyVariable: 'SMART_KEY' },
});

function choose(wanted: readonly (string | undefined)[], environment = {}, among = models) {
  return chooseModel({ models: among, wanted, environment });
}

test('a configured model has its address and key, and Ollama where no address is given', () => {
  expect(choose(['fast'])).toEqual({
    name: 'fast',
    modelId: 'qwen3',
    url: 'http://127.0.0.1:11434/v1',
    silenceMs: 240_000,
    contextChars: 300_000,
  });
  expect(choose(['smart'], { SMART_KEY: ' k \n' })).toMatchObject({
    url: 'https://models.example/v1',
    key: 'k',
  });
});

test('the first word that says something wins', () => {
  expect(choose([undefined, 'fast', 'smart']).name).toBe('fast');
});

test('without configuration glm-4.7 is at Z.ai, and any other name at Ollama', () => {
  expect(choose([], { ZAI_API_KEY: 'z' }, {})).toMatchObject({
    modelId: 'glm-4.7',
    url: 'https://api.z.ai/api/paas/v4',
    key: 'z',
  });
  const local = choose(['constructor'], { ZAI_API_KEY: 'z' });
  expect(local).toMatchObject({ modelId: 'constructor', url: 'http://127.0.0.1:11434/v1' });
  expect(local.key).toBeUndefined();
});

test.each([
  [['smart'], {}, models, 'The model smart needs its key in the environment variable SMART_KEY.'],
  [
    ['glm-4.7'],
    { ZAI_API_KEY: ' ' },
    {},
    'The model glm-4.7 needs its key in the environment variable ZAI_API_KEY.',
  ],
  [[], {}, models, 'Which model? Use --model or set ask.model in the configuration: fast, smart.'],
  [[], {}, {}, 'No model is configured.'],
])('what cannot be meant is a mistake of configuration: %j %j', (wanted, environment, among, message) => {
  expect(() => choose(wanted, environment, among)).toThrow(message);
});

test.each([
  [
    { models: { a: { model: 'm', url: 'https://user:pass@x.example/v1' } } },
    'models.a.url must not contain a password',
  ],
  [{ models: { a: { model: 'm', url: 'ftp://x.example' } } }, 'models.a.url: '],
  [{ models: { a: { model: 'm', key: 'sk-1' } } }, 'models.a.key is not a setting.'],
  [{ ask: { maxRounds: 21 } }, 'ask.maxRounds: '],
  [{ ask: { toolsets: ['nonsense'] } }, 'ask.toolsets.0: '],
])('the configuration %j is refused by name', async (config, message) => {
  // Wrong on purpose, so that its type does not fit.
  using world = openAskWorld('http://127.0.0.1:1/v1', { config: config as never });
  await expect(world.sekishoAsk('hello')).rejects.toThrow(message);
});

test.each([
  [{ keyHeader: 'api key' }, /keyHeader/],
  [{ keyHeader: 'x\r\ny: z' }, /keyHeader/],
  [{ beginsInThought: 'yes' }, /beginsInThought/],
])('a model with %j stops start-up, naming the key', async (wrong, message) => {
  using world = openAskWorld('http://127.0.0.1:9/v1', {
    config: { models: { test: { model: 'm', ...wrong } as never } },
  });
  await expect(world.sekishoAsk('hi')).rejects.toThrow(message);
});
