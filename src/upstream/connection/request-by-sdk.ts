import type { Client } from '@modelcontextprotocol/client';
import { ToolError } from '../../contract/error.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { refusalIn } from '../oauth/request.ts';
import type { RemoteTool } from '../tools/definition.ts';
import { errorIn } from './bounded-fetch.ts';
import { longestWaitMs, startPatience } from './patience.ts';
import { RemoteError, type RemoteRequest, SessionLost } from './remote.ts';

/** Sends a request through the SDK's client, which handles the newest revision and HTTP. */
export async function requestBySdk(
  client: Client,
  request: RemoteRequest,
  tool: RemoteTool | undefined,
  isAlone: () => boolean,
): Promise<unknown> {
  const { method, params, signal, progress } = request;
  const over = new AbortController();
  // The SDK's timer does not stop while a person answers.
  const patience = startPatience(request, (error) => over.abort(error));
  const options = {
    signal: AbortSignal.any([signal, over.signal]),
    timeout: longestWaitMs,
    ...(progress && {
      onprogress: (news: { progress: number; total?: number | undefined; message?: string | undefined }) => {
        patience.heard();
        progress(news.progress, news.total, news.message);
      },
    }),
  };
  try {
    if (!tool) return await client.request({ method, params }, asItIs, options);
    // The newest revision lets a server ask for arguments in headers as well, as its definition says.
    const { name, inputSchema } = tool;
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
    const { _meta } = params as { readonly _meta?: Record<string, unknown> };
    const call = { name, arguments: params.arguments as Record<string, unknown>, ...(_meta && { _meta }) };
    return await client.callTool(call, { ...options, toolDefinition });
  } catch (error) {
    if (signal.aborted) throw cancelled();
    if (over.signal.aborted) throw over.signal.reason;
    throw await failureOf(error, client, isAlone);
  } finally {
    patience.end();
  }
}

/** The error of a request without a result. The connection stays open unless other requests cannot use it either. */
async function failureOf(error: unknown, client: Client, isAlone: () => boolean): Promise<unknown> {
  const { code, status, data } = error as { code?: unknown; status?: unknown; data?: unknown };
  const remote = remoteErrorIn(error);
  if (remote) return remote;
  if (typeof code === 'number') return new RemoteError(error);
  const refused = refusalIn(error);
  if (refused) {
    // Only this call needs more rights; others continue.
    if (refused.code !== 'forbidden' && isAlone()) await client.close().catch(() => {});
    return refused;
  }
  if (typeof status === 'number') {
    const said = errorIn(Object(data).text);
    // Signs of a lost session, from servers that follow the protocol and from those that do not.
    const isLost = status === 404 || (status === 400 && /session/i.test(String(said.message)));
    if (isLost && client.transport?.sessionId !== undefined) return new SessionLost();
    return new RemoteError(said, { status });
  }
  if (!isNotSent(error)) return brokeOff(error);
  // Errors of closing do not matter: the connection is gone.
  if (isAlone()) await client.close().catch(() => {});
  return new ToolError(
    'upstream_error',
    'The request could not be sent to the server.',
    'サーバーに要求を送れませんでした。',
    { cause: error },
  );
}

/** The error of our own `fetch`, if the SDK has wrapped it. */
export function remoteErrorIn(error: unknown): RemoteError | undefined {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return [error, cause].find((each) => each instanceof RemoteError);
}

/** Whether the request was certainly not sent: no connection was made. */
export function isNotSent(error: unknown): boolean {
  for (let each = error; typeof each === 'object' && each !== null; each = (each as Error).cause) {
    if (neverConnected.has(String((each as { code?: unknown }).code))) return true;
  }
  return false;
}

const neverConnected = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
]);

function brokeOff(cause: unknown): ToolError {
  return new ToolError(
    'upstream_error',
    'The connection broke off before the server answered. It may have carried out the call.',
    'サーバーの応答の前に接続が切れました。呼び出しは実行された可能性があります。',
    { cause },
  );
}

/** The callers read results field by field. */
const asItIs = {
  '~standard': { version: 1 as const, vendor: 'sekisho', validate: (value: unknown) => ({ value }) },
};
