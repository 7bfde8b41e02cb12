import type { Arrival, Call, Reply } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import type { ResourceGateway, ResourcePage, ResourceText } from '../contract/gateway.ts';
import { verbatim } from '../contract/text/text.ts';

/** Resources; every request is handled as a call of an unlisted tool. */
export function createResourceGateway(
  call: (call: Call) => Promise<Reply>,
  watch: (uri: string, changed: () => void) => Promise<() => void>,
): ResourceGateway {
  async function walk(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    arrival: Arrival,
    signal: AbortSignal,
  ): Promise<unknown> {
    const reply = await call({ tool, input, arrival, signal, isMethod: true });
    if (reply.kind === 'output') return reply.structured;
    if (reply.kind === 'error') {
      const { details } = reply.structured.error as { readonly details?: Readonly<Record<string, unknown>> };
      throw new ToolError(reply.code, verbatim(reply.text), { details });
    }
    throw new ToolError('denied', verbatim(reply.question.message));
  }

  return {
    // The tools' own output schemas guarantee these types.
    list: (arrival, cursor, signal) =>
      walk(
        'resources/list',
        cursor === undefined ? {} : { cursor },
        arrival,
        signal,
      ) as Promise<ResourcePage>,
    read: (arrival, uri, signal) => walk('resources/read', { uri }, arrival, signal) as Promise<ResourceText>,
    async subscribe(arrival, uri, changed) {
      await walk('resources/subscribe', { uri }, arrival, new AbortController().signal);
      return watch(uri, changed);
    },
  };
}
