import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AskAnswer, AskService } from '../../contract/ask.ts';
import type { Arrival } from '../../contract/call.ts';
import { ToolError } from '../../contract/error.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { RpcError } from '../jsonrpc.ts';
import { endRun, type Run, startRun } from '../run.ts';
import { readJson } from './body.ts';
import { challengeOf, type ProtectedResource } from './challenge.ts';
import { localeOf } from './headers.ts';
import { createOutlet, type Outlet, sendJson } from './outlet.ts';

export interface AskRoute {
  /** Opened at the first question. */
  readonly service: () => Promise<AskService>;
  readonly running: Map<Run, Outlet>;
  readonly maxBodyBytes: number;
  readonly locale: Locale;
  readonly resource?: ProtectedResource | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

const askPath = '/ask';

/** The most that is buffered for a client that does not read. */
const maxUnreadBytes = 4 * 1024 * 1024;

/** Whether this is the address of questions, or of one conversation. */
export function isAskPath(path: string): boolean {
  return path === askPath || path.startsWith(`${askPath}/`);
}

/** `POST /ask` answers a question, as JSON or events; `DELETE /ask/ID` forgets. Never throws. Admit it first. */
export async function answerAsk(
  route: AskRoute,
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
): Promise<void> {
  const outlet = createOutlet(request, response);
  const locale = localeOf(request) ?? route.locale;
  const run = startRun();
  const hangUp = () => run.cancel.abort(new DOMException('The client hung up.', 'AbortError'));
  response.once('close', hangUp);
  route.running.set(run, outlet);
  try {
    const service = await route.service();
    if (request.method === 'DELETE') return await forget(service, request, arrival, outlet);
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST, DELETE');
      return turnAwayAsk(request, response, 405, route.locale);
    }
    const input = await readJson(request, route.maxBodyBytes);
    const answer = await service.ask(input, {
      arrival,
      locale,
      signal: run.cancel.signal,
      onEvent(line) {
        outlet.event(line);
        if (response.writableLength > maxUnreadBytes) response.destroy();
      },
    });
    if (outlet.canStream) outlet.end();
    else outlet.finish(statusOf(answer), answer.json, headersOf(answer));
  } catch (error) {
    if (!(error instanceof ToolError || error instanceof RpcError) && !run.cancel.signal.aborted) {
      route.onFault?.(error);
    }
    const refusal = refusalOf(error, locale, route.maxBodyBytes);
    // Once a stream has begun, the last event replaces the status.
    const body = response.headersSent ? { type: 'error', ...refusal.error } : { error: refusal.error };
    const headers = [...headersOf(refusal), ...challengeTo(refusal, route.resource)];
    outlet.finish(statusOf(refusal, error), JSON.stringify(body), headers);
    request.resume();
  } finally {
    response.off('close', hangUp);
    route.running.delete(run);
    endRun(run);
  }
}

/** Answers a request that was refused before its question was read. */
export function turnAwayAsk(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  ourLocale: Locale,
): void {
  const { code, message } = turnedAway.get(status) ?? failed;
  const words = message[localeOf(request) ?? ourLocale];
  sendJson(response, status, JSON.stringify({ error: { code, message: words } }));
}

const turnedAway = new Map([
  [
    401,
    {
      code: 'unauthenticated',
      message: text(
        'A valid `Authorization: Bearer TOKEN` is needed; `sekisho token create` creates one.',
        '有効な `Authorization: Bearer トークン` が必要です。トークンは `sekisho token create` で作成できます。',
      ),
    },
  ],
  [405, { code: 'invalid_parameter', message: text('Send POST.', 'POST で送ってください。') }],
  [503, { code: 'unavailable', message: text('The server is stopping.', 'サーバーは停止中です。') }],
]);

async function forget(
  service: AskService,
  request: IncomingMessage,
  arrival: Arrival,
  outlet: Outlet,
): Promise<void> {
  const id = request.url?.slice(askPath.length + 1) ?? '';
  if (await service.forget(id, arrival)) return outlet.end(204);
  throw new ToolError('not_found', 'You have no conversation with this id.', 'この ID の会話はありません。');
}

interface Refusal extends Pick<AskAnswer, 'failure'> {
  readonly error: Readonly<Record<string, unknown>>;
}

function refusalOf(error: unknown, locale: Locale, maxBodyBytes: number): Refusal {
  if (error instanceof ToolError) {
    const wait = error.details?.retry_after_ms;
    return {
      error: {
        code: error.code,
        message: error.text[locale],
        ...(error.suggestion && { suggestion: error.suggestion[locale] }),
        ...(error.details && { details: error.details }),
      },
      failure: { code: error.code, ...(typeof wait === 'number' && { retryAfterMs: wait }) },
    };
  }
  const { code, message } = error instanceof RpcError ? unreadable(error, maxBodyBytes) : failed;
  return { error: { code, message: message[locale] }, failure: { code } };
}

const failed = { code: 'internal', message: text('Internal error.', '内部エラーです。') };

function unreadable({ httpStatus }: RpcError, maxBytes: number) {
  if (httpStatus === 413) {
    const message = text(
      `The body is over the limit of ${maxBytes} bytes.`,
      `本文が上限の ${maxBytes} バイトを超えています。`,
    );
    return { code: 'too_large', message };
  }
  const message = text(
    'The body must be JSON in UTF-8, with content-type application/json.',
    '本文は UTF-8 の JSON とし、content-type を application/json にしてください。',
  );
  return { code: 'invalid_parameter', message };
}

function headersOf({ failure }: Pick<AskAnswer, 'failure'>): readonly string[] {
  if (failure?.code === 'too_large') return ['connection', 'close'];
  const { retryAfterMs } = failure ?? {};
  return retryAfterMs === undefined ? [] : ['retry-after', String(Math.ceil(retryAfterMs / 1000))];
}

/** OAuth clients read a missing scope from this header. */
function challengeTo({ error }: Refusal, resource: ProtectedResource | undefined): readonly string[] {
  const { required_scope: scope } = (error.details ?? {}) as { readonly required_scope?: string };
  if (scope === undefined) return [];
  return ['www-authenticate', challengeOf(resource, { error: 'insufficient_scope', scope })];
}

function statusOf({ failure }: Pick<AskAnswer, 'failure'>, error?: unknown): number {
  if (error instanceof RpcError && error.httpStatus !== 200) return error.httpStatus;
  return failure ? (statuses.get(failure.code) ?? 500) : 200;
}

const statuses = new Map([
  ['invalid_parameter', 400],
  ['unauthenticated', 401],
  ['forbidden', 403],
  ['not_found', 404],
  ['conflict', 409],
  ['rate_limited', 429],
  // The server is stopping; a client that cancelled is gone.
  ['cancelled', 503],
  ['too_large', 413],
  ['storage_full', 507],
  ['upstream_error', 502],
  ['unavailable', 503],
  ['timed_out', 504],
]);
