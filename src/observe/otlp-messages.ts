import type { Message } from './protobuf.ts';

// opentelemetry/proto: collector/trace/v1/trace_service.proto with its parts, as far as we use them. The names are
// those of OTLP's JSON, so that one object can be encoded both ways.

const arrayValue: Message = { values: [1, () => anyValue] };
const anyValue: Message = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
  arrayValue: [5, () => arrayValue],
};
const keyValue: Message = { key: [1, 'string'], value: [2, () => anyValue] };
const status: Message = { code: [3, 'enum'] };
const span: Message = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  traceState: [3, 'string'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'enum'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, () => keyValue],
  status: [15, () => status],
  flags: [16, 'fixed32'],
};
const scope: Message = { name: [1, 'string'], version: [2, 'string'] };
const scopeSpans: Message = { scope: [1, () => scope], spans: [2, () => span] };
const resource: Message = { attributes: [1, () => keyValue] };
const resourceSpans: Message = { resource: [1, () => resource], scopeSpans: [2, () => scopeSpans] };

export const exportTraceServiceRequest: Message = { resourceSpans: [1, () => resourceSpans] };
