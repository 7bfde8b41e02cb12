import type { Endpoint } from '../../src/ask/model/endpoint.ts';
import { type Answer, type ModelOptions, openModel } from '../../src/ask/model/model.ts';
import type { Message } from '../../src/ask/transcript.ts';

export type { Answer, Endpoint, Message };

/** One answer of a model at this address: what it came to, what was shown, and which waits there were. */
export async function oneAnswer(
  url: string,
  more: Partial<Endpoint> = {},
  options: ModelOptions = {},
  signal: AbortSignal = new AbortController().signal,
  messages: readonly Message[] = [{ role: 'user', text: 'hello' }],
) {
  const shown: string[] = [];
  const retries: number[] = [];
  const endpoint = {
    name: 'test',
    modelId: 'm',
    url,
    key: 'sk-secret',
    silenceMs: 20_000,
    contextChars: 10_000,
    ...more,
  };
  const model = await openModel(endpoint, { retryDelaysMs: [1, 1, 1], ...options });
  const result = await model
    .answer({
      instructions: 'Be short.',
      messages,
      tools: [],
      signal,
      onText: (words) => shown.push(words),
      onReasoning() {},
      onRetry: (_attempt, waitMs) => retries.push(waitMs),
    })
    .catch((error: unknown) => error);
  return { result, shown: shown.join(''), retries };
}
