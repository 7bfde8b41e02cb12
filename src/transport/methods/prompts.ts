import type { PromptGateway } from '../../contract/gateway.ts';
import type { MethodTable } from '../exchange.ts';
import { isObject, RpcError, rpcCode } from '../jsonrpc.ts';
import { spoken } from './resources.ts';

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
        return prompts.get(exchange.arrival, name, isObject(given) ? given : undefined, exchange.signal);
      }),
    'completion/complete': (exchange) =>
      spoken(exchange, async () => {
        const { ref, argument, context } = exchange.params;
        const params = { ref, argument, ...(context !== undefined && { context }) };
        return prompts.complete(exchange.arrival, params, exchange.signal);
      }),
  };
}
