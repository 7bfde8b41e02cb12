import * as z from 'zod';
import type { ModelSettings } from '../contract/capabilities/model.ts';
import { ConfigError } from '../contract/error.ts';
import { section } from './section.ts';
import { toolsetNames } from './toolset-names.ts';

const model = z.strictObject({
  model: z.string().min(1).describe('The model\'s id at the server, e.g. "glm-4.7".'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('An OpenAI-compatible server. Default: Ollama, http://127.0.0.1:11434/v1.'),
  keyVariable: z
    .string()
    .regex(/^\w+$/)
    .optional()
    .describe('Environment variable that holds the key, e.g. "ZAI_API_KEY". Never the key itself.'),
  keyHeader: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
    .optional()
    .describe('Header that carries the key, e.g. "api-key" for Azure. Default: Authorization: Bearer.'),
  silenceMs: z
    .int()
    .min(1000)
    .max(3_600_000)
    .optional()
    .describe('How long the server may send nothing. Default: 240000.'),
  contextChars: z
    .int()
    .min(1000)
    .optional()
    .describe('Maximum characters of a conversation to send. Default: 300000.'),
  beginsInThought: z
    .boolean()
    .optional()
    .describe(
      'Set this if answers begin with reasoning that has no opening tag and ends with </think>, because the chat template opens it.',
    ),
});

export const modelsSchema = z.record(z.string().regex(/^[\w.:/-]+$/), model);

export const askSchema = section({
  model: z.string().min(1).describe('The model to use unless another is named.'),
  toolsets: z
    .array(z.enum(toolsetNames))
    .describe('The toolsets that the model may use. Default: toolsets, otherwise ["assistant"].'),
  maxRounds: z.int().min(1).max(20).describe('Maximum rounds for one question. Default and upper limit: 20.'),
  perMinute: z.int().min(1).describe('Questions a minute. Default: 10.'),
});

/** The configured models with their defaults. Throws `ConfigError` for a password in an address. */
export function modelsOf(
  models: z.input<typeof modelsSchema> | undefined,
): Readonly<Record<string, ModelSettings>> {
  const entries = Object.entries(models ?? {}).map(([name, settings]) => [
    name,
    withDefaults(name, settings),
  ]);
  return Object.fromEntries(entries);
}

/** Fills in the defaults; without an address, a model is at Ollama. */
export function withDefaults(name: string, settings: z.input<typeof model>): ModelSettings {
  const { url = 'http://127.0.0.1:11434/v1', silenceMs = 240_000, contextChars = 300_000 } = settings;
  const address = new URL(url);
  if (address.username !== '' || address.password !== '') {
    throw new ConfigError(
      `models.${name}.url must not contain a password; name a variable in keyVariable.`,
      `models.${name}.url にパスワードを書かないでください。keyVariable で環境変数を指定してください。`,
    );
  }
  return { ...settings, url: address.href.replace(/\/$/, ''), silenceMs, contextChars };
}
