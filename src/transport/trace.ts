import type { Arrival } from '../contract/call.ts';
import { isRecord } from '../ground/is-record.ts';
import type { Params } from './jsonrpc.ts';

type TraceContext = Pick<Arrival, 'traceparent' | 'tracestate'>;

/** The W3C trace context from `_meta` if it is well-formed; else the one of the request. */
export function traceContextOf(params: Params, arrived: TraceContext = {}): TraceContext {
  const meta = isRecord(params._meta) ? params._meta : undefined;
  return meta?.traceparent === undefined
    ? { traceparent: arrived.traceparent, tracestate: arrived.tracestate }
    : readTraceContext(meta.traceparent, meta.tracestate);
}

/** Leaves out what the standard does not allow: all-zero ids, future versions, a state without a parent. */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext {
  if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) return {};
  const isState =
    typeof tracestate === 'string' && tracestate.length <= maxStateChars && /^[\x20-\x7e]+$/.test(tracestate);
  return { traceparent, tracestate: isState ? tracestate : undefined };
}

/** The length of `tracestate` that W3C Trace Context requires everyone to propagate. */
const maxStateChars = 512;

function isTraceparent(value: string): boolean {
  return /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(value);
}
