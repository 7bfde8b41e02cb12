import type { Params } from './jsonrpc.ts';
import { isObject } from './jsonrpc.ts';

/** W3C trace context from `_meta`, where it is well formed. */
export function traceparentOf(params: Params): string | undefined {
  const value = isObject(params._meta) ? params._meta.traceparent : undefined;
  return typeof value === 'string' && isTraceparent(value) ? value : undefined;
}

export function isTraceparent(value: string): boolean {
  return /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value);
}
