import * as z from 'zod';
import type { ModelSettings } from '../contract/capabilities/model.ts';
import { ConfigError } from '../contract/error.ts';
import { hasUserInfo } from '../ground/secure-url.ts';
import { atLeast, between, flag, section, spelled, word } from './section.ts';
import { toolsetNames } from './toolset-names.ts';

/** The name of a secret that holds a key. */
export function keySecret(example: string) {
  return spelled(
    /^[a-z][a-z\d-]{0,63}$/,
    `Entry of \`secrets\` that holds the key, e.g. "${example}". Its hosts must name the server.`,
  );
}

const model = z.strictObject({
  model: word('The model\'s id at the server, e.g. "glm-4.7".'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('An OpenAI-compatible server. Default: Ollama, http://127.0.0.1:11434/v1.'),
  keyVariable: spelled(
    /^\w+$/,
    'Environment variable that holds the key, e.g. "ZAI_API_KEY". Never the key itself.',
  ).optional(),
  keySecret: keySecret('zai').optional(),
  keyHeader: spelled(
    /^[A-Za-z][A-Za-z0-9-]*$/,
    'Header that carries the key, e.g. "api-key" for Azure. Default: Authorization: Bearer.',
  ).optional(),
  silenceMs: between(1000, 3_600_000, 'How long the server may send nothing. Default: 240000.').optional(),
  contextChars: atLeast(1000, 'Maximum characters of a conversation to send. Default: 300000.').optional(),
  beginsInThought: flag(
    'Set this if answers begin with reasoning that has no opening tag and ends with </think>, because the chat template opens it.',
  ).optional(),
});

export const modelsSchema = z.record(z.string().regex(/^[\w.:/-]+$/), model);

export const askSchema = section({
  model: word('The model to use unless another is named.'),
  toolsets: z
    .array(z.enum(toolsetNames))
    .describe('The toolsets that the model may use. Default: toolsets, otherwise ["assistant"].'),
  maxRounds: between(1, 20, 'Maximum rounds for one question. Default and upper limit: 20.'),
  perMinute: atLeast(1, 'Questions a minute. Default: 10.'),
});

interface KeyNames {
  readonly keySecret?: string | undefined;
  readonly keyVariable?: string | undefined;
}

/** Throws `ConfigError` if the secret of a key is unknown, or not alone. */
export function assertKey(
  at: string,
  { keySecret, keyVariable }: KeyNames,
  secrets: readonly string[],
): void {
  if (keySecret === undefined || (keyVariable === undefined && secrets.includes(keySecret))) return;
  throw new ConfigError(
    `${at}.keySecret must name an entry of secrets, and no keyVariable beside it: ${keySecret}`,
    `${at}.keySecret には secrets にある名前を指定し、keyVariable は書かないでください: ${keySecret}`,
  );
}

/** The configured models with their defaults. Throws `ConfigError` for a password in an address, or an unknown secret. */
export function modelsOf(
  models: z.input<typeof modelsSchema> | undefined,
  secrets: readonly string[] = [],
): Readonly<Record<string, ModelSettings>> {
  for (const [name, keys] of Object.entries(models ?? {})) assertKey(`models.${name}`, keys, secrets);
  const entries = Object.entries(models ?? {}).map(([name, settings]) => [
    name,
    withDefaults(name, settings),
  ]);
  return Object.fromEntries(entries);
}

/** Fills in the defaults. */
export function withDefaults(name: string, settings: z.input<typeof model>): ModelSettings {
  const { url, silenceMs = 240_000, contextChars = 300_000 } = settings;
  return { ...settings, url: addressOf(`models.${name}`, url), silenceMs, contextChars };
}

/** The address of an OpenAI-compatible server; by default Ollama's. Throws `ConfigError` for a password in it. */
export function addressOf(key: string, url = 'http://127.0.0.1:11434/v1'): string {
  const address = new URL(url);
  if (!hasUserInfo(address)) return address.href.replace(/\/$/, '');
  throw new ConfigError(
    `${key}.url must not contain a password; name a variable in keyVariable.`,
    `${key}.url にパスワードを書かないでください。keyVariable で環境変数を指定してください。`,
  );
}
