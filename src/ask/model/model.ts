import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../../contract/error.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { promptOf } from '../prompt.ts';
import type { Message, ModelCall } from '../transcript.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOf, type ModelFailure, SilenceError } from './failure.ts';
import { createThoughtSplitter, type Piece } from './thoughts.ts';
import { createTolerantFetch } from './tolerant-fetch.ts';

export interface ModelOptions {
  /** Pauses before the second, third … attempt. */
  readonly retryDelaysMs?: readonly number[];
  readonly maxAnswerChars?: number;
  readonly maxReplyBytes?: number;
  /** Sends a request whose header may name a secret. Default: `fetch`. */
  readonly send?: typeof fetch | undefined;
}

/** A tool in a request to the model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Round {
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolOffer[];
  readonly signal: AbortSignal;
  onText(text: string): void;
  onReasoning(text: string): void;
  onRetry(attempt: number, waitMs: number, reason: ToolError): void;
}

export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ModelCall[];
  /** The model reached its own length limit. */
  readonly cut: boolean;
  /** The server's own filter ended the answer. */
  readonly filtered: boolean;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

export type Model = Awaited<ReturnType<typeof openModel>>;

type Provider = ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>;
type ChatModel = ReturnType<Provider['chatModel']>;
type StreamPart =
  Awaited<ReturnType<ChatModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** A model at an endpoint. The AI SDK's provider is loaded here, so that only `ask` pays for it. */
export async function openModel(endpoint: Endpoint, options: ModelOptions = {}) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const chat = createOpenAICompatible({
    name: 'model',
    ...addressOf(endpoint),
    fetch: createTolerantFetch(createBoundedFetch(options.maxReplyBytes ?? 64 * 1024 * 1024, options.send)),
  }).chatModel(endpoint.modelId);
  const delays = options.retryDelaysMs ?? [1000, 3000, 8000];

  return {
    endpoint,
    /** One answer, streamed. Throws `ToolError`; retries attempts that have shown nothing yet. */
    async answer(round: Round): Promise<Answer> {
      for (let attempt = 1; ; attempt += 1) {
        let shown = false;
        const tried = await tryOnce(chat, endpoint, options, round, () => {
          shown = true;
        }).then(
          (answer) => ({ answer }),
          (error: unknown) => ({ failure: failureOf(error, endpoint, round.signal) }),
        );
        if ('answer' in tried) return tried.answer;
        const waitMs = waitBefore(tried.failure, delays[attempt - 1]);
        if (shown || waitMs === undefined) throw tried.failure.error;
        round.onRetry(attempt + 1, waitMs, tried.failure.error);
        await sleep(waitMs, undefined, { signal: round.signal }).catch(() => {
          throw failureOf(undefined, endpoint, round.signal).error;
        });
      }
    },
  };
}

/** The address and credentials of requests. Azure has a version in the query, and the key in a separate header. */
function addressOf({ url, key, keyHeader }: Endpoint) {
  const { origin, pathname, searchParams } = new URL(url);
  return {
    baseURL: `${origin}${pathname.replace(/\/$/, '')}`,
    ...(searchParams.size > 0 && { queryParams: Object.fromEntries(searchParams) }),
    ...(key !== undefined && (keyHeader ? { headers: { [keyHeader]: key } } : { apiKey: key })),
  };
}

/** Longer waits that a server asks for are not honoured. */
const maxRetryAfterMs = 30_000;
const maxCallsPerRound = 32;

function waitBefore(failure: ModelFailure, delayMs: number | undefined): number | undefined {
  if (!failure.mayPass || delayMs === undefined) return undefined;
  const wantedMs = failure.retryAfterMs ?? 0;
  return wantedMs > maxRetryAfterMs ? undefined : Math.max(wantedMs, delayMs);
}

async function tryOnce(
  chat: ChatModel,
  endpoint: Endpoint,
  options: ModelOptions,
  round: Round,
  onShown: () => void,
): Promise<Answer> {
  const silence = watchSilence(endpoint.silenceMs);
  using _ = defer(() => silence.stop());
  const { stream } = await chat.doStream({
    prompt: promptOf(round.instructions, round.messages),
    ...(round.tools.length > 0 && {
      tools: round.tools.map(({ name, description, schema }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: schema,
      })),
    }),
    abortSignal: AbortSignal.any([round.signal, silence.signal]),
  });
  const gathering = createGathering(options, round, onShown, endpoint.beginsInThought === true);
  for await (const part of stream) {
    silence.heard();
    gathering.take(part);
  }
  // An aborted stream may end as if it were complete.
  round.signal.throwIfAborted();
  silence.signal.throwIfAborted();
  return gathering.answer();
}

function createGathering(options: ModelOptions, round: Round, onShown: () => void, beginsInThought: boolean) {
  const splitter = createThoughtSplitter(beginsInThought);
  const maxChars = options.maxAnswerChars ?? 1_000_000;
  const calls: ModelCall[] = [];
  let words = '';
  let reasoning = '';
  let chars = 0;
  let finish: Extract<StreamPart, { type: 'finish' }> | undefined;

  function count(delta: string): void {
    chars += delta.length;
    if (chars > maxChars)
      throw new ToolError(
        'too_large',
        `The model's answer is over ${maxChars} characters and was stopped.`,
        `モデルの回答が ${maxChars} 文字を超えたため、停止しました。`,
      );
  }

  function say(delta: string): void {
    words += delta;
    onShown();
    round.onText(delta);
  }

  function note(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.kind === 'text') say(piece.words);
      else think(piece.words);
    }
  }

  function think(delta: string): void {
    reasoning += delta;
    round.onReasoning(delta);
  }

  return {
    take(part: StreamPart): void {
      switch (part.type) {
        case 'text-delta':
          count(part.delta);
          note(splitter.take(part.delta));
          return;
        case 'reasoning-delta':
          count(part.delta);
          think(part.delta);
          return;
        case 'tool-input-delta':
          count(part.delta);
          return;
        case 'tool-call':
          if (calls.length >= maxCallsPerRound)
            throw new ToolError(
              'too_large',
              `The model requested more than ${maxCallsPerRound} calls in one round.`,
              `モデルが 1 回の往復で ${maxCallsPerRound} 件を超える呼び出しを要求しました。`,
            );
          calls.push({ callId: part.toolCallId, tool: part.toolName, words: part.input });
          return;
        case 'error':
          throw part.error;
        case 'finish':
          if (brokenOff.has(part.finishReason.raw ?? '')) throw new Error(part.finishReason.raw);
          finish = part;
          return;
        default:
      }
    },
    answer(): Answer {
      note(splitter.end());
      // This time it did not think, although it usually does.
      if (beginsInThought && splitter.isInside && words === '' && calls.length === 0) {
        const all = reasoning;
        reasoning = '';
        if (all !== '') say(all);
      }
      return {
        text: words,
        reasoning,
        calls,
        cut: finish?.finishReason.unified === 'length',
        filtered: filters.has(finish?.finishReason.raw ?? ''),
        inputTokens: finish?.usage.inputTokens.total,
        outputTokens: finish?.usage.outputTokens.total,
      };
    },
  };
}

/** Finish reasons that mean an error, and those of a filter, by OpenAI and Z.ai. */
const brokenOff = new Set(['network_error', 'error']);
const filters = new Set(['content_filter', 'sensitive']);

/** Aborts after silence: a hanging server must not block the person. */
function watchSilence(silenceMs: number) {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new SilenceError()), silenceMs);
  return { signal: silent.signal, heard: () => timer.refresh(), stop: () => clearTimeout(timer) };
}
