import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Arrival, Call } from '../contract/call.ts';
import type { CallEnd, CallWatch, CallWatcher, WatchedStop } from '../contract/observe.ts';
import type { CallTrace } from '../contract/trace.ts';

/** A shorter stop gets no span. */
const worthMs = 1;
/** Proxied servers choose names of any length. */
const longestName = 128;

/**
 * One span per call by OpenTelemetry's conventions for MCP, with one for each stop that took time and one for each
 * request to a proxied server. Contains no user, argument, result or message.
 */
export function createCallSpans(tracer: Tracer, parentOf: (arrival: Arrival) => Context): CallWatcher {
  return {
    begin(call) {
      const clock = createClock();
      const { method, attributes, kind } = describe(call);
      const span = tracer.startSpan(method, { kind, attributes, startTime: clock() }, parentOf(call.arrival));
      const context = trace.setSpan(parentOf(call.arrival), span);
      let stop: WatchedStop = 'identify';
      let stopAt = clock();
      let running: Span | undefined;

      function leave(): void {
        const nowMs = clock();
        if (running) running.end(nowMs);
        else if (nowMs - stopAt >= worthMs) tracer.startSpan(stop, { startTime: stopAt }, context).end(nowMs);
        running = undefined;
        stopAt = nowMs;
      }

      return {
        trace: traceOf(tracer, span, () => (running ? trace.setSpan(context, running) : context)),
        reached(next) {
          leave();
          stop = next;
          // The span must exist while the tool runs: requests to other servers are its children.
          if (next === 'run') running = tracer.startSpan('run', { startTime: stopAt }, context);
        },
        ended(end) {
          leave();
          finish(span, method, call, end);
          span.end(clock());
        },
      } satisfies CallWatch;
    },
  };
}

function describe(call: Call) {
  const { arrival } = call;
  const isMcp = arrival.transport === 'stdio' || arrival.transport === 'http';
  const method = call.isMethod ? methodIn(call.tool) : isMcp ? 'tools/call' : 'execute_tool';
  const attributes = {
    ...(isMcp && {
      'mcp.method.name': method,
      'network.transport': arrival.transport === 'http' ? 'tcp' : 'pipe',
    }),
    ...(arrival.transport === 'http' && { 'network.protocol.name': 'http' }),
    ...(call.requestId !== undefined && { 'jsonrpc.request.id': String(call.requestId) }),
    ...(arrival.revision !== undefined && { 'mcp.protocol.version': arrival.revision }),
    // The id as in the audit log; the header's own value would give access.
    ...(arrival.connectionId !== undefined && { 'mcp.session.id': arrival.connectionId }),
    'sekisho.transport': arrival.transport,
  };
  return { method, attributes, kind: isMcp ? SpanKind.SERVER : SpanKind.INTERNAL };
}

/** Without the proxied server's name, which is a separate attribute. */
function methodIn(tool: string): string {
  const at = tool.indexOf('__');
  return at === -1 ? tool : tool.slice(at + 2);
}

function finish(span: Span, method: string, call: Call, { reply, stop, tool, approver }: CallEnd): void {
  // A name without a tool is foreign text.
  if (tool && !tool.unlisted) {
    span.updateName(`${method} ${tool.name}`);
    span.setAttribute('gen_ai.tool.name', tool.name);
  }
  if (!call.isMethod) span.setAttribute('gen_ai.operation.name', 'execute_tool');
  if (tool?.server !== undefined) span.setAttribute('sekisho.server', tool.server);
  if (approver !== undefined) span.setAttribute('sekisho.approved', true);
  span.setAttribute('sekisho.stop', stop);
  const isError = reply.kind === 'error' || (reply.kind === 'output' && reply.isError === true);
  span.setAttribute('sekisho.outcome', isError ? 'error' : reply.kind === 'output' ? 'ok' : 'question');
  if (!isError) return;
  span.setAttribute('error.type', 'tool_error');
  if (reply.kind === 'error') span.setAttribute('sekisho.error.code', reply.code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function traceOf(tracer: Tracer, span: Span, current: () => Context): CallTrace {
  return {
    traceId: span.spanContext().traceId,
    request({ method, tool, server }) {
      const attributes = {
        'mcp.method.name': method,
        ...(tool !== undefined && { 'gen_ai.tool.name': tool, 'gen_ai.operation.name': 'execute_tool' }),
        'sekisho.server': server,
      };
      const name = tool === undefined ? method : `${method} ${tool}`.slice(0, longestName);
      const request = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, current());
      const { traceId, spanId, traceFlags, traceState } = request.spanContext();
      const tracestate = traceState?.serialize();
      return {
        meta: {
          traceparent: `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`,
          ...(tracestate && { tracestate }),
        },
        end(errorType) {
          if (errorType !== undefined) {
            request.setAttribute('error.type', errorType);
            request.setStatus({ code: SpanStatusCode.ERROR });
          }
          request.end();
        },
      };
    },
  };
}

/** Wall time at the start, continued by the monotonic clock. */
function createClock(): () => number {
  const wallMs = Date.now();
  const beganAt = performance.now();
  return () => wallMs + (performance.now() - beganAt);
}
