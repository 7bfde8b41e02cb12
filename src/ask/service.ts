import type { AskAnswer, AskHands, AskService, AskSessionStore } from '../contract/ask.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import { ToolError } from '../contract/error.ts';
import type { Gateway } from '../contract/gateway.ts';
import type { RateStore } from '../contract/records.ts';
import { text } from '../contract/text/text.ts';
import { defer } from '../ground/waiting/defer.ts';
import { type Answered, bodyOf, createReport } from './answer.ts';
import { leaseConversation } from './conversation-lease.ts';
import { instructionsFor } from './instructions.ts';
import { ask } from './loop.ts';
import type { Endpoint } from './model/endpoint.ts';
import { outwardOf } from './model/failure.ts';
import { openModel } from './model/model.ts';
import { type AskRequest, readRequest } from './model/request.ts';
import { countQuestion } from './question-rate.ts';

export interface AskServiceOptions {
  readonly gateway: Pick<Gateway, 'list' | 'call' | 'leave' | 'instructions'>;
  identify(arrival: Arrival): Promise<Caller>;
  /** The model with this name, or the default one. Throws `ToolError`. */
  modelFor(name: string | undefined): Endpoint;
  /** Sends requests whose headers may name secrets. */
  send(): Promise<typeof fetch | undefined>;
  readonly sessions: () => Promise<AskSessionStore>;
  readonly rates: () => Promise<RateStore>;
  readonly perMinute: number;
  readonly maxRounds: number;
  readonly timeZone: string | undefined;
  readonly version: string;
  readonly now: () => number;
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** Called with errors of a model's server that the client does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** The most of one result that the model reads at once; it can ask for the rest. */
const maxResultChars = 60_000;

/** Questions to a model over the network. Each uses its caller's own tools, approvals and conversations. */
export function createAskService(options: AskServiceOptions): AskService {
  const seats = createSeats({ max: 64, maxEach: 4 });

  async function callerOf(arrival: Arrival): Promise<Caller> {
    const caller = await options.identify(arrival);
    if (caller.kind === 'anonymous')
      throw new ToolError(
        'unauthenticated',
        'Only an authenticated caller can ask a model.',
        'モデルへの質問には認証が必要です。',
        text(
          'Send `Authorization: Bearer TOKEN`; `sekisho token create` creates one.',
          '`Authorization: Bearer トークン` を送ってください。トークンは `sekisho token create` で作成できます。',
        ),
      );
    return caller;
  }

  return {
    async ask(input, hands) {
      const request = readRequest(input);
      const caller = await callerOf(hands.arrival);
      assertScope(caller);
      const { principal } = caller;
      const endpoint = options.modelFor(request.model);
      const leave = seats.enter(principal);
      using _ = defer(() => leave());
      return await answer(request, principal, endpoint, hands);
    },
    async forget(session, arrival) {
      const { principal } = await callerOf(arrival);
      return (await options.sessions()).remove(principal, session);
    },
  };

  async function answer(
    request: AskRequest,
    principal: string,
    endpoint: Endpoint,
    { arrival, locale, signal, onEvent }: AskHands,
  ): Promise<AskAnswer> {
    const { now } = options;
    const session = await leaseConversation(await options.sessions(), principal, request.session, now);
    const within: Arrival = {
      ...arrival,
      connectionId: `ask-${session.id}`,
      client: { name: 'sekisho ask', version: options.version },
      model: endpoint.name,
    };
    try {
      await countQuestion(await options.rates(), principal, options.perMinute, now());
      const { retryDelaysMs } = options;
      const send = await options.send();
      const model = await openModel(endpoint, { send, ...(retryDelaysMs && { retryDelaysMs }) });
      const report = createReport(onEvent, request.reasoning);
      report.onEvent({ type: 'start', session: session.id, model: endpoint.name });
      const asked = await ask(request.message, session.messages, {
        gateway: { list: options.gateway.list, call: options.gateway.call, locale },
        arrival: within,
        model,
        instructions: instructionsFor({
          gateway: options.gateway.instructions,
          locale,
          nowMs: now(),
          timeZone: options.timeZone,
        }),
        maxRounds: options.maxRounds,
        maxResultChars,
        headless: request.headless,
        signal,
        onEvent: report.onEvent,
        tell: (error) => outwardOf(error, options.onFault),
      });
      await session.save(asked.messages);
      const answered: Answered = { asked, session: session.id, model: endpoint.name, report, locale };
      return bodyOf(answered);
    } finally {
      await session.release();
      await options.gateway.leave(within);
    }
  }
}

/** A model costs the operator money: an issuer's token without access to tools has none to models. */
function assertScope({ scopes, scopeNames }: Caller): void {
  if (!scopes || scopes.includes('tools:read')) return;
  const scope = scopeNames?.['tools:read'] ?? 'tools:read';
  throw new ToolError(
    'forbidden',
    `A question to a model requires the scope '${scope}'.`,
    `モデルへの質問にはスコープ '${scope}' が必要です。`,
    {
      suggestion: text('Ask for a token with this scope.', 'このスコープのトークンを取得してください。'),
      details: { required_scope: scope },
    },
  );
}

/** Limits concurrent questions, in total and per person. `enter` returns how to leave; it throws when full. */
function createSeats({ max, maxEach }: { readonly max: number; readonly maxEach: number }) {
  const inside = new Map<string, number>();
  let all = 0;
  return {
    enter(principal: string): () => void {
      const own = inside.get(principal) ?? 0;
      if (own >= maxEach)
        throw new ToolError(
          'rate_limited',
          `${maxEach} of your questions are being answered.`,
          `あなたの質問 ${maxEach} 件に回答中です。`,
          {
            suggestion: text(
              'Send the next one when an answer is complete.',
              '1 件終わってから次を送ってください。',
            ),
            details: { retry_after_ms: 5000 },
          },
        );
      if (all >= max)
        throw new ToolError('unavailable', 'Too many questions at once.', '同時の質問が多すぎます。', {
          suggestion: text('Try again in a few seconds.', '数秒後にもう一度試してください。'),
          details: { retry_after_ms: 5000 },
        });
      inside.set(principal, own + 1);
      all += 1;
      return () => {
        const left = (inside.get(principal) ?? 1) - 1;
        if (left === 0) inside.delete(principal);
        else inside.set(principal, left);
        all -= 1;
      };
    },
  };
}
