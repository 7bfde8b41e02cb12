import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Context, createTraceState, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
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
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Arrival } from '../contract/call.ts';
import type { CallWatcher } from '../contract/observe.ts';
import type { TraceSettings } from '../contract/trace.ts';
import { createCallSpans } from './call-spans.ts';

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

/** Sends spans by OTLP over HTTP. Failed ones are dropped and reported once a minute; nothing outlives `end`. */
interface HttpSpanExporter extends SpanExporter {
  /** Aborts running requests. */
  end(): void;
}

type Outcome = 'sent' | 'again' | 'refused';

const firstPauseMs = 500;
const reportEveryMs = 60_000;
/** HTTP statuses after which OTLP exporters retry. */
const passing = new Set([429, 502, 503, 504]);

/**
 * One batch at a time, with one deadline for all attempts. The SDK's own exporter waits in timers that keep a stopping
 * process alive, and for peers that answer byte by byte; this one does neither.
 */
function createSpanExporter(settings: TraceSettings, onFault?: (error: unknown) => void): HttpSpanExporter {
  const over = new AbortController();
  const url = new URL(settings.url);
  let reportedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();

  async function send(spans: readonly ReadableSpan[]): Promise<boolean> {
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(settings.timeoutMs)]);
    const serializer = settings.encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer;
    const plain = serializer.serializeRequest([...spans]) ?? new Uint8Array();
    const body = settings.compression === 'gzip' ? await promisify(gzip)(plain) : plain;
    const headers = {
      'user-agent': 'sekisho',
      ...settings.headers,
      'content-type': settings.encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      'content-length': String(body.length),
      ...(settings.compression === 'gzip' && { 'content-encoding': 'gzip' }),
    };
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs *= 2) {
      const outcome = await post(url, headers, body, settings, signal);
      if (outcome !== 'again') return outcome === 'sent';
      // Aborted: the loop's condition ends it.
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
    return false;
  }

  function tell(): void {
    if (over.signal.aborted || performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    // The origin alone: the rest may contain a password, and the peer's text is untrusted.
    onFault?.(new Error(`Traces could not be sent to ${url.origin}; calls go on without them.`));
  }

  return {
    export(spans, done) {
      last = last
        .then(() => send(spans))
        .catch(() => false)
        .then((isSent) => {
          if (!isSent) tell();
          done({ code: isSent ? 0 : 1 });
        });
    },
    forceFlush: () => last,
    shutdown: () => last,
    end: () => over.abort(),
  };
}

async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  { tls }: TraceSettings,
  signal: AbortSignal,
): Promise<Outcome> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve) => {
    // No agent: a kept-alive connection would hold the process. Redirects are not followed.
    const outgoing = request(url, { method: 'POST', headers, signal, agent: false, ...tls }, (response) => {
      const status = response.statusCode ?? 0;
      // Only the status matters; the body is not read.
      response.destroy();
      resolve(status >= 200 && status < 300 ? 'sent' : passing.has(status) ? 'again' : 'refused');
    });
    outgoing.on('error', () => resolve('again'));
    outgoing.end(body);
  });
}
