import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { exportTraceServiceRequest } from './otlp-messages.ts';
import { encodeProtobuf } from './protobuf.ts';

/** Spans of one process, as bytes of an `ExportTraceServiceRequest`. */
export function encodeSpans(spans: readonly ReadableSpan[], encoding: 'protobuf' | 'json'): Buffer {
  const request = { resourceSpans: resourceSpansOf(spans) };
  return encoding === 'json'
    ? Buffer.from(JSON.stringify(request))
    : encodeProtobuf(exportTraceServiceRequest, request);
}

function resourceSpansOf(spans: readonly ReadableSpan[]): object[] {
  const [first] = spans;
  if (!first) return [];
  const { name, version } = first.instrumentationScope;
  const scopeSpans = [{ scope: { name, version }, spans: spans.map(spanOf) }];
  return [{ resource: { attributes: pairs(first.resource.attributes) }, scopeSpans }];
}

function spanOf(span: ReadableSpan): object {
  const { traceId, spanId, traceState, traceFlags } = span.spanContext();
  const parent = span.parentSpanContext;
  return {
    traceId,
    spanId,
    ...(parent && { parentSpanId: parent.spanId }),
    ...(traceState && { traceState: traceState.serialize() }),
    // Low byte: the W3C trace flags. 0x100: `isRemote` of the parent is known. 0x200: the parent is remote.
    flags: traceFlags | 0x100 | (parent?.isRemote ? 0x200 : 0),
    name: span.name,
    // The protocol counts from 1.
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: pairs(span.attributes),
    status: { code: span.status.code },
  };
}

function pairs(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue): object {
  if (Array.isArray(value)) {
    return { arrayValue: { values: value.flatMap((each) => (each == null ? [] : [anyValue(each)])) } };
  }
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  return { stringValue: String(value) };
}

function nanoseconds([seconds, rest]: readonly [number, number]): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(rest));
}
