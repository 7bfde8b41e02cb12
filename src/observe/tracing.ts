import { type Context, createTraceState, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Arrival } from '../contract/call.ts';
import type { CallWatcher } from '../contract/observe.ts';
import type { TraceSettings } from '../contract/trace.ts';
import { createCallSpans } from './call-spans.ts';
import { createSpanExporter } from './span-exporter.ts';

export interface Tracing extends CallWatcher {
  /** Sends the remaining spans for a moment; any still unsent are lost. */
  close(): Promise<void>;
}

/** How long a stopping server waits for the last spans to be sent. */
const lastFlushMs = 1000;

/** Makes spans of calls and sends them in batches. Failures never affect calls. */
export function openTracing(
  settings: TraceSettings,
  options: {
    readonly version: string;
    readonly onFault?: ((error: unknown) => void) | undefined;
  },
): Tracing {
  const exporter = createSpanExporter(settings, options.onFault);
  const provider = new TracerProvider({
    resource: resourceOf(options.version),
    sampler: samplerOf(settings.sampler),
    spanLimits: { attributeValueLengthLimit: 256, attributeCountLimit: 32 },
    // At most 2,048 spans wait; more are dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: settings.timeoutMs + 1000 })],
  });
  const spans = createCallSpans(provider.getTracer('sekisho', options.version), parentOf);
  return {
    begin: spans.begin,
    async close() {
      // Rejected spans are dropped; closing never waits for them.
      const flushed = provider.shutdown().catch(() => {});
      const timer = setTimeout(exporter.end, lastFlushMs);
      await flushed;
      clearTimeout(timer);
      exporter.end();
    },
  };
}

/** The caller's span, if the call came with one. */
function parentOf({ traceparent, tracestate }: Arrival): Context {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '0', 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

/** The operator's resource attributes take precedence. Nothing about the machine is sent unless configured. */
function resourceOf(version: string) {
  const own = resourceFromAttributes({ 'service.name': 'sekisho', 'service.version': version });
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(own).merge(detectResources({ detectors }));
}

function samplerOf({ root, ratio, followsParent }: TraceSettings['sampler']): Sampler {
  const sampler =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root: sampler }) : sampler;
}
