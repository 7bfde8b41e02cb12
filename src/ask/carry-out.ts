import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Arrival, ContentBlock, Question, Reply } from '../contract/call.ts';
import type { Gateway } from '../contract/gateway.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { errorWords } from '../ground/text/error-words.ts';
import { defer } from '../ground/waiting/defer.ts';
import { argumentsOf } from './prompt.ts';
import type { ModelCall } from './transcript.ts';

/** The result of a call for the model. */
export interface Outcome {
  readonly ok: boolean;
  /** The error's code, if it failed. */
  readonly code?: string | undefined;
  /** The question that waits for a person, if any. */
  readonly approvalId?: string | undefined;
  readonly text: string;
  readonly durationMs: number;
}

/** How long and how often one call may wait for its turn: the limit is shared with others. */
const maxWaitMs = 60_000;
const maxWaits = 3;

/** Asks the person; the signal aborts when no answer is needed any more. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<Answer>;

export interface CarryOutOptions {
  readonly gateway: Pick<Gateway, 'call' | 'locale'>;
  readonly arrival: Arrival;
  /** Our name of the tool. */
  readonly tool: string;
  readonly signal: AbortSignal;
  readonly maxResultChars: number;
  /** No person can be asked: a question counts as a refusal. */
  readonly headless: boolean;
  readonly askPerson?: AskPerson | undefined;
  onProgress(message: string): void;
}

/** Runs one call of the model through the checkpoint. Never throws: the model gets every error. */
export async function carryOut(call: ModelCall, options: CarryOutOptions): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = await attempt(call, options);
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}

async function attempt(wanted: ModelCall, options: CarryOutOptions): Promise<Omit<Outcome, 'durationMs'>> {
  const { gateway, signal } = options;
  const words = sentences(gateway.locale);
  if (signal.aborted) return { ok: false, code: 'cancelled', text: words.cancelled };
  const input = argumentsOf(wanted.words);
  if (input === undefined)
    return { ok: false, code: 'invalid_parameter', text: words.malformed(wanted.words.slice(0, 200)) };
  const over = new AbortController();
  const { askPerson } = options;

  function call(): Promise<Reply> {
    return gateway.call({
      tool: options.tool,
      input,
      arrival: options.arrival,
      signal,
      progress: (_done, _total, message) => {
        if (message !== undefined) options.onProgress(message);
      },
      elicit:
        askPerson && !options.headless
          ? (question) => askPerson(question, AbortSignal.any([signal, over.signal]))
          : undefined,
      // Makes the call return its question at once, instead of waiting for a person who is not there.
      canRetry: options.headless,
    });
  }

  /** Models cannot wait, so a rate-limited call is repeated when it is allowed. */
  async function callInTime(): Promise<Reply> {
    for (let waits = 0; ; waits += 1) {
      const reply = await call();
      const waitMs = turnOf(reply);
      if (waitMs === undefined || waits === maxWaits) return reply;
      options.onProgress(words.waiting(Math.ceil(waitMs / 1000)));
      // An abort is handled below.
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return reply;
    }
  }

  using _ = defer(() => over.abort());
  const reply = await callInTime();
  return shorten(outcomeOf(reply, words), options.maxResultChars, words);
}

function outcomeOf(reply: Reply, words: Sentences): Omit<Outcome, 'durationMs'> {
  switch (reply.kind) {
    case 'output': {
      const shown = reply.content.map((block) => shownOf(block, words)).join('\n');
      if (reply.isError) return { ok: false, code: 'upstream_error', text: shown };
      if (shown !== '') return { ok: true, text: shown };
      return { ok: true, text: reply.structured ? JSON.stringify(reply.structured) : words.empty };
    }
    case 'error':
      return {
        ok: false,
        code: reply.code,
        approvalId: approvalIdOf(reply),
        text: [errorWords(reply), ...(reply.quoted ?? []).map((block) => shownOf(block, words))].join('\n'),
      };
    case 'question': {
      const { approvalId } = reply.question;
      return { ok: false, code: 'denied', approvalId, text: words.headless(approvalId) };
    }
  }
}

/** The time until the limit allows the call; undefined if it was refused for another reason. */
function turnOf(reply: Reply): number | undefined {
  if (reply.kind !== 'error' || reply.code !== 'rate_limited') return undefined;
  const waitMs: unknown = Object(reply.structured.error.details).retry_after_ms;
  return typeof waitMs === 'number' && waitMs <= maxWaitMs ? waitMs : undefined;
}

function approvalIdOf(reply: Extract<Reply, { kind: 'error' }>): string | undefined {
  const id: unknown = Object(reply.structured.error.details).approval_id;
  return reply.code === 'approval_pending' && typeof id === 'string' ? id : undefined;
}

function shownOf(block: ContentBlock, words: Sentences): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return words.unseen(block.mimeType);
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : words.unseen(block.resource.mimeType ?? block.resource.uri);
  }
}

function shorten(
  outcome: Omit<Outcome, 'durationMs'>,
  maxChars: number,
  words: Sentences,
): Omit<Outcome, 'durationMs'> {
  if (outcome.text.length <= maxChars) return outcome;
  const kept = outcome.text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '');
  return { ...outcome, text: `${kept}\n${words.cut(outcome.text.length)}` };
}

type Sentences = ReturnType<typeof sentences>;

function sentences(locale: Locale) {
  return {
    cancelled: text('cancelled: The person stopped this.', 'cancelled: ユーザーが中断しました。')[locale],
    empty: text('(no output)', '(出力なし)')[locale],
    malformed: (start: string) =>
      text(
        `invalid_parameter: The arguments are not one JSON object. Send the call again. They began with: ${start}`,
        `invalid_parameter: 引数が 1 つの JSON オブジェクトではありません。呼び出し直してください。受け取った先頭:  ${start}`,
      )[locale],
    headless: (id: string | undefined) =>
      text(
        `denied: This needs a person's approval, and nobody can be asked here. Find another way, or tell the user to run \`sekisho approve${id ? ` ${id}` : ''}\` and to ask again.`,
        `denied: 人の承認が必要ですが、ここでは確認できる人がいません。別の方法を探すか、ユーザーに \`sekisho approve${id ? ` ${id}` : ''}\` を実行してからもう一度頼むよう伝えてください。`,
      )[locale],
    waiting: (seconds: number) =>
      text(
        `the limit of calls; going on in ${seconds} s`,
        `呼び出し回数の上限に達しました。${seconds} 秒後に続行します`,
      )[locale],
    unseen: (kind: string) =>
      text(`[${kind}, which cannot be shown to you]`, `[${kind}: 表示できません]`)[locale],
    cut: (chars: number) =>
      text(
        `[cut; ${chars} characters in all. Ask for a smaller part.]`,
        `[省略。全 ${chars} 文字。範囲を狭めてください。]`,
      )[locale],
  };
}
