import { ToolError } from '../../contract/error.ts';
import type { PromptGateway } from '../../contract/gateway.ts';
import type { Exchange, MethodTable } from '../exchange.ts';
import { InsufficientScope } from '../http/challenge.ts';
import { isObject, RpcError, rpcCode } from '../jsonrpc.ts';

/** The gateway's prompts as methods. */
export function promptMethods(prompts: PromptGateway): MethodTable {
  return {
    'prompts/list': (exchange) =>
      spoken(async () => ({
        prompts: await prompts.list(exchange.arrival, exchange.signal),
        ...(exchange.era === 'modern' && { ttlMs: 0, cacheScope: 'private' }),
      })),
    'prompts/get': (exchange) =>
      spoken(async () => {
        const { name } = exchange.params;
        if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'A prompt needs a name.');
        const given = exchange.params.arguments;
        return prompts.get(exchange.arrival, name, isObject(given) ? given : undefined, exchange.signal);
      }),
    'completion/complete': (exchange: Exchange) =>
      spoken(async () => {
        const { ref, argument, context } = exchange.params;
        const params = { ref, argument, ...(context !== undefined && { context }) };
        return prompts.complete(exchange.arrival, params, exchange.signal);
      }),
  };
}

async function spoken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const scope = error.details?.required_scope;
    if (typeof scope === 'string') throw new InsufficientScope(scope, error.text.en);
    const code = error.code === 'internal' ? rpcCode.internalError : rpcCode.invalidParams;
    throw new RpcError(code, error.text.en, { code: error.code });
  }
}
