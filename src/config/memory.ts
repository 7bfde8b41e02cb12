import * as z from 'zod';
import { ConfigError } from '../contract/error.ts';
import { addressOf, assertKey, keySecret } from './models.ts';
import { between, spelled } from './section.ts';

/** The endpoint for embeddings, if any. Its key is only named, never stored. */
export type MemorySettings = Readonly<ReturnType<typeof memoryOf>>;

export const memorySchema = z.strictObject({
  embeddings: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe(
          'An OpenAI-compatible server. Default: Ollama, http://127.0.0.1:11434/v1. Memories and questions are sent there.',
        ),
      model: z.string().min(1).max(200).describe('The model\'s id at the server, e.g. "bge-m3".'),
      keyVariable: spelled(
        /^\w+$/,
        'Environment variable that holds the key, e.g. "OPENAI_API_KEY". Never the key itself.',
      ).optional(),
      keySecret: keySecret('openai').optional(),
      dimensions: between(8, 8192, 'The length of the vectors, if the model lets you choose.').optional(),
      timeoutMs: between(
        10,
        10_000,
        'How long recall waits for the server before it ranks by words alone. Default: 300.',
      ).optional(),
    })
    .optional()
    .describe('Let recall find what is worded differently. Absent: words alone, and nothing is sent.'),
});

/** Throws `ConfigError` for a password in the address, a missing key or an unknown secret. */
export function memoryOf(
  config: z.infer<typeof memorySchema> | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[] = [],
) {
  const given = config?.embeddings;
  if (!given) return { embeddings: undefined };
  const url = addressOf('memory.embeddings', given.url);
  const { keyVariable, keySecret } = given;
  assertKey('memory.embeddings', given, secrets);
  if (keyVariable !== undefined && !environment[keyVariable]?.trim())
    throw new ConfigError(
      `memory.embeddings.keyVariable: the variable ${keyVariable} is not set.`,
      `memory.embeddings.keyVariable: 環境変数 ${keyVariable} が設定されていません。`,
    );
  return {
    embeddings: {
      url,
      model: given.model,
      keyVariable,
      keySecret,
      dimensions: given.dimensions,
      timeoutMs: given.timeoutMs ?? 300,
    },
  };
}
