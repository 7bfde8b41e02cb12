import type { Client } from '@modelcontextprotocol/client';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { refusalIn } from '../oauth/request.ts';
import type { RemoteTool } from '../tools/definition.ts';
import { errorIn } from './bounded-fetch.ts';
import { longestWaitMs, startPatience } from './patience.ts';
import { RemoteError, type RemoteRequest, SessionLost } from './remote.ts';

/** One request through the SDK's client, which knows the ways of the newest revision and of HTTP. */
export async function requestBySdk(
  client: Client,
  request: RemoteRequest,
  tool: RemoteTool | undefined,
  isAlone: () => boolean,
): Promise<unknown> {
  const { method, params, signal, progress } = request;
  const over = new AbortController();
  // The SDK's own clock knows nothing of people.
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
    // The newest revision lets a server ask for arguments in headers as well, which its definition says.
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

/** What became of a request that got no result. The connection stays for the others, unless it is of no use to them. */
async function failureOf(error: unknown, client: Client, isAlone: () => boolean): Promise<unknown> {
  const { code, status, data } = error as { code?: unknown; status?: unknown; data?: unknown };
  const remote = remoteErrorIn(error);
  if (remote) return remote;
  if (typeof code === 'number') return new RemoteError(error);
  const refused = refusalIn(error);
  if (refused) {
    // More rights are wanted for this call; the others go on.
    if (refused.code !== 'forbidden' && isAlone()) await client.close().catch(() => {});
    return refused;
  }
  if (typeof status === 'number') {
    const said = errorIn(Object(data).text);
    // Answers that mean it, of servers that know the protocol and of those that do not.
    const isLost = status === 404 || (status === 400 && /session/i.test(String(said.message)));
    if (isLost && client.transport?.sessionId !== undefined) return new SessionLost();
    return new RemoteError(said, { status });
  }
  if (!isNotSent(error)) return brokeOff(error);
  // A connection that is gone anyway may fail to close.
  if (isAlone()) await client.close().catch(() => {});
  return new ToolError(
    'upstream_error',
    text('The request could not be sent to the server.', 'サーバーに要求を送れませんでした。'),
    { cause: error },
  );
}

/** What our own `fetch` threw, where the SDK has wrapped it. */
export function remoteErrorIn(error: unknown): RemoteError | undefined {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return [error, cause].find((each) => each instanceof RemoteError);
}

/** Surely not: nobody took the connection. */
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
    text(
      'The connection broke off before the server answered. It may have carried out the call.',
      'サーバーの応答の前に接続が切れました。呼び出しは実行された可能性があります。',
    ),
    { cause },
  );
}

/** Results are read by whoever asked, field by field. */
const asItIs = {
  '~standard': { version: 1 as const, vendor: 'sekisho', validate: (value: unknown) => ({ value }) },
};
