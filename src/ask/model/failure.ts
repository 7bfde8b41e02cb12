import { ToolError } from '../../contract/error.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { retryAfterMs } from '../../ground/retry-after.ts';
import type { Endpoint } from './endpoint.ts';

/** The reason why a model did not answer, and whether a retry may help. */
export interface ModelFailure {
  readonly error: ToolError;
  readonly mayPass: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** The model's server was silent for too long. */
export class SilenceError extends Error {}

/** A failure of a model's server. Its text and address are for the operator only. */
class ModelError extends ToolError {}

/** The conversation exceeds the model's context; a shorter one may fit. */
export class TooMuchContext extends ModelError {}

/** The same failure for a caller over the network; `heard` gets all of it. */
export function outwardOf(error: ToolError, heard: ((error: unknown) => void) | undefined): ToolError {
  if (!(error instanceof ModelError)) return error;
  heard?.(error);
  const isBusy = error.code === 'rate_limited' || error.code === 'timed_out';
  return new ToolError(
    isBusy ? 'unavailable' : 'upstream_error',
    isBusy
      ? text('The model is too busy to answer.', 'モデルが混み合っていて回答できません。')
      : text("The model's server failed.", 'モデルのサーバーで障害が起きました。'),
    text(
      "Try again later; the operator's log says what happened.",
      '後でもう一度試してください。詳細は運用者のログにあります。',
    ),
  );
}

/** Classifies an error of the AI SDK. The person sees the server's text, cleaned, short and without the key. */
export function failureOf(thrown: unknown, endpoint: Endpoint, signal: AbortSignal): ModelFailure {
  if (signal.aborted) return { error: cancelled('answer'), mayPass: false };
  const ours = oursIn(thrown);
  if (ours instanceof ToolError) return { error: ours, mayPass: false };
  if (ours) return { error: silent(endpoint), mayPass: true };
  const status = numberOf(thrown, 'statusCode');
  const said = saidBy(thrown, endpoint.key);
  const reason = unreachable(thrown);
  if (reason) return { error: nobodyThere(endpoint, reason, thrown), mayPass: false };
  // With a success status, the answer had begun and could then not be read.
  const isRead = status !== undefined && status >= 300;
  // A limit of tokens per minute is no limit of length.
  if (status === 413 || (status !== 429 && tooMuch.test(said))) {
    return { error: tooMuchContext(endpoint.name, said === '' ? '' : `: ${said}`, thrown), mayPass: false };
  }
  if (!isRead) return { error: broken(endpoint, said, thrown), mayPass: true };
  const mayPass = status === 408 || status === 409 || status === 429 || status >= 500;
  const headers = Object(thrown).responseHeaders as Readonly<Record<string, string>> | undefined;
  const wait = retryAfterMs(headers?.['retry-after']);
  return { error: answered(endpoint, status, said, thrown), mayPass, retryAfterMs: wait };
}

function silent({ name, silenceMs }: Endpoint): ToolError {
  const seconds = Math.round(silenceMs / 1000);
  return new ModelError(
    'timed_out',
    `The model ${name} sent nothing for ${seconds} s.`,
    `モデル ${name} から ${seconds} 秒間応答がありません。`,
    text(
      `Raise models.${name}.silenceMs if it needs longer.`,
      `もっと時間が必要なら models.${name}.silenceMs を増やしてください。`,
    ),
  );
}

function nobodyThere({ name, url }: Endpoint, reason: string, cause: unknown): ToolError {
  return new ModelError(
    'unavailable',
    `No server for the model ${name} answers at ${url} (${reason}).`,
    `モデル ${name} のサーバー ${url} に接続できません (${reason})。`,
    {
      suggestion: text(
        'Is it running (`ollama serve`)? `models` in the configuration says where models are.',
        '起動していますか（`ollama serve`）。モデルの場所は設定の `models` で決まります。',
      ),
      cause,
    },
  );
}

function broken({ name, url }: Endpoint, said: string, cause: unknown): ToolError {
  const quoted = said === '' ? '' : `: ${said}`;
  return new ModelError(
    'unavailable',
    `The server of the model ${name} (${url}) did not respond, or closed the connection${quoted}.`,
    `モデル ${name} のサーバー (${url}) が応答しないか、途中で切れました${quoted}。`,
    {
      suggestion: text(
        'Is it running? `models` in the configuration says where models are.',
        '起動していますか。モデルの場所は設定の `models` で決まります。',
      ),
      cause,
    },
  );
}

function answered({ name }: Endpoint, status: number, said: string, cause: unknown): ToolError {
  const quoted = said === '' ? '' : `: ${said}`;
  const code =
    status === 401 || status === 403 ? 'unauthenticated' : status === 429 ? 'rate_limited' : 'upstream_error';
  return new ModelError(
    code,
    `The server of the model ${name} answered ${status}${quoted}`,
    `モデル ${name} のサーバーの応答は ${status} でした${quoted}`,
    { cause, details: { status }, suggestion: suggestionFor(status, said) },
  );
}

/** As worded by OpenAI, vLLM, llama.cpp, LM Studio, Z.ai, Gemini, Moonshot, Bedrock, TGI and Anthropic's proxies. */
const tooMuch =
  /context[ _](length|size|window)|maximum context|max(imum)? (prompt |input )?(length|tokens)|too many (input )?tokens|(prompt|input|conversation) (is too long|exceeds)|exceed_context|token count.{0,60}exceeds|maximum number of tokens|(exceeded|exceeds) (the )?model token limit|input is too long|reduce the length of|must have less than \d+ tokens|`inputs` tokens/i;

function tooMuchContext(name: string, quoted: string, cause: unknown): ToolError {
  return new TooMuchContext(
    'too_large',
    `The conversation is too long for the model ${name}${quoted}`,
    `会話がモデル ${name} の上限を超えています${quoted}`,
    {
      suggestion: text(
        `Set models.${name}.contextChars to less, or start over with /clear.`,
        `models.${name}.contextChars を減らすか、/clear で始め直してください。`,
      ),
      cause,
    },
  );
}

function suggestionFor(status: number, said: string): Text | undefined {
  if (/support(s|ed)? (tool|function)|tool[ _-]choice|auto-tool/i.test(said)) {
    return text(
      'This model, or its server as it was started, does not support tools. Choose another one.',
      'このモデル、またはサーバーの起動方法がツールに対応していません。別のモデルを指定してください。',
    );
  }
  if (status === 404 || status === 405) {
    return text(
      'Check that the model is installed (`ollama pull NAME`) and that its url is right; most end in /v1.',
      'モデルがインストールされているか（`ollama pull 名前`）、url が正しいかを確認してください。url の多くは /v1 で終わります。',
    );
  }
  return undefined;
}

/** The beginning of the server's reason. */
function saidBy(thrown: unknown, key: string | undefined): string {
  const message = typeof thrown === 'string' ? thrown : String(Object(thrown).message ?? '');
  const withoutKey = key === undefined || key === '' ? message : message.replaceAll(key, '…');
  return cleanLine(withoutKey.slice(0, 300));
}

function numberOf(thrown: unknown, key: string): number | undefined {
  const value: unknown = Object(thrown)[key];
  return typeof value === 'number' ? value : undefined;
}

/** The reason why no connection is possible; waiting a few seconds would not help. */
function unreachable(thrown: unknown): string | undefined {
  let error: unknown = thrown;
  for (let depth = 0; depth < 5 && typeof error === 'object' && error !== null; depth += 1) {
    const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return code;
    error = cause;
  }
  return undefined;
}

/** Finds an error of our own in the chain of causes that the SDK wrapped around it. */
function oursIn(thrown: unknown): ToolError | SilenceError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    if (error instanceof ToolError || error instanceof SilenceError) return error;
  }
  return undefined;
}
