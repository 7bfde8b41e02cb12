import type { Client } from '@modelcontextprotocol/client';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { refusalIn } from '../oauth/request.ts';
import type { RemoteTool } from '../tools/definition.ts';
import { RemoteError, type RemoteRequest, SessionLost, timedOut } from './remote.ts';

/** One request through the SDK's client, which knows the ways of the newest revision and of HTTP. */
export async function requestBySdk(
  client: Client,
  request: RemoteRequest,
  tool: RemoteTool | undefined,
): Promise<unknown> {
  const { method, params, signal, timeoutMs, progress, waitsForPerson } = request;
  const over = new AbortController();
  // A person takes the time that they take; the SDK's own clock knows nothing of it.
  let timer = setTimeout(expire, timeoutMs);
  function expire(): void {
    if (waitsForPerson?.()) timer = setTimeout(expire, timeoutMs);
    else over.abort();
  }
  const options = {
    signal: AbortSignal.any([signal, over.signal]),
    timeout: longestWaitMs,
    ...(progress && {
      onprogress: (news: { progress: number; total?: number | undefined; message?: string | undefined }) =>
        progress(news.progress, news.total, news.message),
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
    if (over.signal.aborted) throw timedOut(timeoutMs);
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') throw new RemoteError(error);
    if ((error as { status?: unknown }).status === 404 && client.transport?.sessionId !== undefined) {
      throw new SessionLost();
    }
    const refused = refusalIn(error);
    // More rights are wanted for this call; the others go on.
    if (refused?.code === 'forbidden') throw refused;
    // The address does not answer, or has forgotten us: what is left of the connection is of no use.
    await client.close().catch(() => {});
    if (refused) throw refused;
    throw new ToolError(
      'upstream_error',
      text('The request could not be sent to the server.', 'サーバーに要求を送れませんでした。'),
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** A timer takes no more. */
const longestWaitMs = 2 ** 31 - 1;

/** Results are read by whoever asked, field by field. */
const asItIs = {
  '~standard': { version: 1 as const, vendor: 'sekisho', validate: (value: unknown) => ({ value }) },
};
