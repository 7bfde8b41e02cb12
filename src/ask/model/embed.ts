import * as z from 'zod';
import { type Embedder, EmbedError } from '../../contract/embedding.ts';
import { ToolError } from '../../contract/error.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { counted } from '../../ground/counted.ts';
import { retryAfterMs } from '../../ground/retry-after.ts';
import { createBoundedFetch } from './bounded-fetch.ts';

/** An embeddings endpoint: any server with OpenAI's interface. */
export interface EmbeddingEndpoint {
  readonly url: string;
  readonly model: string;
  /** A key, or the name of a secret in the form of `secretName`. */
  readonly key?: string | undefined;
  /** Requested, and checked in the result. */
  readonly dimensions?: number | undefined;
}

/** Sends only the texts, once: follows no redirect, reads no more than the vectors take. The caller retries. */
export function openEmbedder(endpoint: EmbeddingEndpoint, send?: typeof fetch): Embedder {
  const address = `${endpoint.url}/embeddings`;
  return {
    async embed(texts, signal) {
      const reply = await post(address, { ...endpoint, send }, texts, signal);
      const parsed = answer.safeParse(reply);
      if (!parsed.success) throw new EmbedError('later', 'the answer holds no embeddings');
      return vectorsIn(parsed.data.data, texts.length, endpoint.dimensions);
    },
  };
}

async function post(
  address: string,
  { model, key, dimensions, send }: EmbeddingEndpoint & { readonly send: typeof fetch | undefined },
  texts: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const fetchBounded = createBoundedFetch(envelopeBytes + texts.length * maxDimensions * bytesANumber, send);
  try {
    const response = await fetchBounded(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(dimensions !== undefined && { dimensions }),
      }),
      signal,
    });
    if (!response.ok) throw await refusal(response, key);
    return await response.json();
  } catch (error) {
    if (error instanceof EmbedError) throw error;
    if (error instanceof ToolError) throw new EmbedError('later', error.message, { cause: error });
    throw new EmbedError('later', 'the server did not answer, not in time, or not to the end', {
      cause: error,
    });
  }
}

async function refusal(response: Response, key: string | undefined): Promise<EmbedError> {
  const said = await response.text().catch(() => '');
  const shown = cleanLine((key ? said.replaceAll(key, '…') : said).slice(0, 200));
  const wait = retryAfterMs(response.headers.get('retry-after'));
  // These four concern the request; servers answer a text that is too long with one of them.
  const kind = [400, 413, 414, 422].includes(response.status) ? 'texts' : 'later';
  return new EmbedError(kind, `the server answered ${response.status}${shown === '' ? '' : `: ${shown}`}`, {
    retryAfterMs: wait && Math.min(wait, longestRetryAfterMs),
  });
}

function vectorsIn(
  found: z.output<typeof answer>['data'],
  count: number,
  wanted: number | undefined,
): readonly Float32Array[] {
  const vectors = new Map<number, Float32Array>();
  for (const [place, { index, embedding }] of found.entries()) {
    if (embedding.length !== (wanted ?? found[0]?.embedding.length)) {
      throw new EmbedError(
        'later',
        `the server gave ${counted(embedding.length, 'dimension')}${wanted === undefined ? ' beside others' : `, ${wanted} were asked for`}`,
      );
    }
    vectors.set(index ?? place, unitOf(embedding));
  }
  const inOrder = Array.from({ length: count }, (_, place) => vectors.get(place));
  const whole = inOrder.filter((vector) => vector !== undefined);
  if (whole.length !== count || vectors.size !== count) {
    throw new EmbedError(
      'later',
      `the server gave ${counted(vectors.size, 'embedding')} for ${counted(count, 'text')}`,
    );
  }
  return whole;
}

/** Scaled by the largest number first: squares of huge numbers overflow, of tiny ones vanish. */
function unitOf(embedding: readonly number[]): Float32Array {
  const largest = embedding.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0 || !Number.isFinite(1 / largest)) {
    throw new EmbedError('later', 'an embedding has no direction');
  }
  const length = Math.sqrt(embedding.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  return Float32Array.from(embedding, (value) => value / largest / length);
}

/** More than any current model. */
const maxDimensions = 8192;
const answer = z.object({
  data: z
    .array(
      z.object({
        index: z.int().min(0).optional(),
        embedding: z.array(z.number()).min(8).max(maxDimensions),
      }),
    )
    .min(1),
});
const bytesANumber = 26;
const envelopeBytes = 65_536;
const longestRetryAfterMs = 3_600_000;
