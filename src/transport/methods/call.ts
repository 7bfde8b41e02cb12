import type { Arrival, Call } from '../../contract/call.ts';
import type { Gateway } from '../../contract/gateway.ts';
import type { Locale } from '../../contract/text/text.ts';
import { isRecord } from '../../ground/is-record.ts';
import type { Exchange, Method } from '../exchange.ts';
import { InsufficientScope, scopeMissingIn } from '../http/challenge.ts';
import { type Params, RpcError, rpcCode } from '../jsonrpc.ts';
import { answerOf, canAsk, elicitationOf, formAnswerOf, formKey, questionKey } from '../question.ts';
import { replyFormOf } from '../reply-form.ts';
import { callResult } from '../results.ts';

/** `tools/call`. Only a malformed envelope is a protocol error: refusals go through the gateway to be recorded. */
export function createCallMethod(gateway: Gateway): Method {
  return async (exchange) => {
    const { name } = exchange.params;
    if (typeof name !== 'string')
      throw new RpcError(rpcCode.invalidParams, 'tools/call needs the name of a tool.');
    const { requestState } = exchange.params;
    if (exchange.era === 'modern' && requestState !== undefined && typeof requestState !== 'string')
      throw new RpcError(rpcCode.invalidParams, 'requestState must be a string.');
    const form = replyFormOf(exchange.arrival);
    const call: Call = {
      tool: name,
      input: exchange.params.arguments ?? {},
      arrival: exchange.arrival,
      requestId: exchange.id,
      auditId: exchange.auditId,
      beganAt: exchange.beganAt,
      signal: exchange.signal,
      replyBytes: form.maxBytes,
      progress: progressOf(exchange),
      isUnattended: saysUnattended(exchange.arrival, exchange.params._meta),
      ...questionsOf(exchange, gateway.locale),
    };
    const reply = await gateway.call(call);
    const scope =
      reply.kind === 'error' && call.arrival.transport === 'http' ? scopeMissingIn(reply) : undefined;
    if (reply.kind === 'error' && scope !== undefined) throw new InsufficientScope(scope, reply.text);
    if (reply.kind === 'question' && call.canRetry !== true)
      throw new RpcError(rpcCode.internalError, 'A person must be asked, and this client cannot be.');
    return callResult(reply, gateway.locale, form);
  };
}

function questionsOf(exchange: Exchange, locale: Locale): Partial<Call> {
  const { era, params, ask } = exchange;
  const { inputResponses, requestState } = params;
  // Kept whatever the client supports: a retry must never count as a new call.
  const questionState = typeof requestState === 'string' ? requestState : undefined;
  if (!canAsk(exchange.clientCapabilities)) return era === 'modern' ? { questionState } : {};
  if (era === 'legacy')
    return ask
      ? {
          elicit: async (question) =>
            answerOf(await ask('elicitation/create', elicitationOf(question, locale))),
          form: async (form) => formAnswerOf(await ask('elicitation/create', { mode: 'form', ...form })),
        }
      : {};
  const has = (key: string) => isRecord(inputResponses) && Object.hasOwn(inputResponses, key);
  const given = isRecord(inputResponses) ? inputResponses : {};
  return {
    canRetry: true,
    carriesForms: true,
    answer: has(questionKey) ? answerOf(given[questionKey]) : undefined,
    formAnswer: has(formKey) ? formAnswerOf(given[formKey]) : undefined,
    questionState,
  };
}

function progressOf(exchange: Exchange): Call['progress'] {
  const meta = exchange.params._meta as Params | undefined;
  const progressToken = isRecord(meta) ? meta.progressToken : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  let last = Number.NEGATIVE_INFINITY;
  return (progress, total, message) => {
    // The protocol requires progress to increase, so skip other values.
    if (!(progress > last)) return;
    last = progress;
    exchange.notify('notifications/progress', {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  };
}

/**
 * Clients that mark calls as unattended, as `npm run clients` observed. Others do not: `copilot -p` and `claude -p`
 * send the same as at a terminal, and only their quick answers give them away.
 */
const saying: readonly (readonly [
  name: RegExp,
  says: (meta: Readonly<Record<string, unknown>>) => boolean,
])[] = [
  // `codex exec` declines automatically; at a terminal it asks.
  [/^codex-mcp-client$/, (meta) => turnOf(meta).turn_trigger === 'exec'],
];

export function saysUnattended({ client }: Pick<Arrival, 'client'>, meta: unknown): boolean {
  const [, says] = saying.find(([name]) => name.test(client?.name ?? '')) ?? [];
  return isRecord(meta) && says?.(meta) === true;
}

function turnOf(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const turn = meta['x-codex-turn-metadata'];
  return isRecord(turn) ? turn : {};
}
