import { ToolError } from '../../contract/error.ts';
import type { PromptGateway, ResourceGateway } from '../../contract/gateway.ts';
import { isRecord } from '../../ground/is-record.ts';
import type { Exchange, MethodTable } from '../exchange.ts';
import { InsufficientScope } from '../http/challenge.ts';
import { RpcError, rpcCode } from '../jsonrpc.ts';
import type { Era } from '../revision.ts';

/** The gateway's resources as methods. */
export function resourceMethods(resources: ResourceGateway): MethodTable {
  return {
    'resources/list': (exchange) =>
      spoken(exchange, async () => {
        const { cursor } = exchange.params;
        const page = await resources.list(
          exchange.arrival,
          typeof cursor === 'string' ? cursor : undefined,
          exchange.signal,
        );
        return { ...page, ...freshness(exchange.era) };
      }),
    'resources/templates/list': (exchange) =>
      spoken(exchange, async () => ({
        resourceTemplates: (await resources.templates?.(exchange.arrival, exchange.signal)) ?? [],
        ...freshness(exchange.era),
      })),
    'resources/read': (exchange) =>
      spoken(exchange, async () => {
        const { more = [], ...first } = await resources.read(
          exchange.arrival,
          uriOf(exchange),
          exchange.signal,
        );
        return { contents: [first, ...more], ...freshness(exchange.era) };
      }),
    'resources/subscribe': (exchange) =>
      spoken(exchange, async () => {
        const uri = uriOf(exchange);
        const { connection } = exchange;
        if (!connection) throw new RpcError(rpcCode.invalidRequest, 'Subscribing needs a connection.');
        const end = await resources.subscribe(exchange.arrival, uri, () =>
          connection.announce('notifications/resources/updated', { uri }),
        );
        connection.keep(`resource ${uri}`, end);
        return {};
      }),
    'resources/unsubscribe': async (exchange) => {
      exchange.connection?.drop(`resource ${uriOf(exchange)}`);
      return {};
    },
  };
}

function uriOf(exchange: Exchange): string {
  const { uri } = exchange.params;
  if (typeof uri !== 'string') throw new RpcError(rpcCode.invalidParams, 'A resource needs a uri.');
  return uri;
}

function freshness(era: Era): object {
  return era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {};
}

/** Runs the work and converts its ToolErrors to protocol errors with the same text. */
async function spoken<T>({ era, params }: Exchange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const scope = error.details?.required_scope;
    if (typeof scope === 'string') throw new InsufficientScope(scope, error.text.en);
    const isMissing = error.code === 'not_found' && params.uri !== undefined;
    const code = isMissing && era === 'legacy' ? rpcCode.resourceNotFound : rpcCode.invalidParams;
    throw new RpcError(error.code === 'internal' ? rpcCode.internalError : code, error.text.en, {
      code: error.code,
      ...(isMissing && { uri: params.uri }),
    });
  }
}

/** The gateway's prompts as methods. */
export function promptMethods(prompts: PromptGateway): MethodTable {
  return {
    'prompts/list': (exchange) =>
      spoken(exchange, async () => ({
        prompts: await prompts.list(exchange.arrival, exchange.signal),
        ...(exchange.era === 'modern' && { ttlMs: 0, cacheScope: 'private' }),
      })),
    'prompts/get': (exchange) =>
      spoken(exchange, async () => {
        const { name } = exchange.params;
        if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'A prompt needs a name.');
        const given = exchange.params.arguments;
        return prompts.get(exchange.arrival, name, isRecord(given) ? given : undefined, exchange.signal);
      }),
    'completion/complete': (exchange) =>
      spoken(exchange, async () => {
        const { ref, argument, context } = exchange.params;
        const params = { ref, argument, ...(context !== undefined && { context }) };
        return prompts.complete(exchange.arrival, params, exchange.signal);
      }),
  };
}
