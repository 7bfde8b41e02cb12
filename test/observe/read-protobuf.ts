/** Fields of a message by number, as they stand in the bytes: nothing of the writer's tables is used. */
type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** An `ExportTraceServiceRequest` in the shape of OTLP's JSON, read by the numbers of the published definitions. */
export function readTraceRequest(bytes: Buffer) {
  return {
    resourceSpans: messages(read(bytes), 1).map((each) => ({
      resource: { attributes: messages(first(messages(each, 1)), 1).map(readPair) },
      scopeSpans: messages(each, 2).map((scoped) => ({
        scope: { name: text(first(messages(scoped, 1)), 1), version: text(first(messages(scoped, 1)), 2) },
        spans: messages(scoped, 2).map(readSpan),
      })),
    })),
  };
}

function readSpan(span: Fields) {
  const parent = hex(span, 4);
  const traceState = text(span, 3);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    ...(traceState !== undefined && { traceState }),
    ...(parent !== undefined && { parentSpanId: parent }),
    name: text(span, 5),
    kind: number(span, 6),
    startTimeUnixNano: bytesOf(span, 7).readBigUInt64LE().toString(),
    endTimeUnixNano: bytesOf(span, 8).readBigUInt64LE().toString(),
    attributes: messages(span, 9).map(readPair),
    status: { code: number(first(messages(span, 15)), 3) },
    flags: bytesOf(span, 16).readUInt32LE(),
  };
}

function readPair(pair: Fields) {
  return { key: text(pair, 1) ?? '', value: readValue(first(messages(pair, 2))) };
}

function readValue(value: Fields): Readonly<Record<string, unknown>> {
  if (value.has(1)) return { stringValue: text(value, 1) };
  if (value.has(2)) return { boolValue: value.get(2)?.[0] === 1n };
  if (value.has(3)) return { intValue: Number(BigInt.asIntN(64, value.get(3)?.[0] as bigint)) };
  if (value.has(4)) return { doubleValue: bytesOf(value, 4).readDoubleLE() };
  return { arrayValue: { values: messages(first(messages(value, 5)), 1).map(readValue) } };
}

function read(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('cut');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('cut');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (![0, 1, 2, 5].includes(wire)) throw new Error(`wire type ${wire}`);
    const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function messages(fields: Fields, at: number): Fields[] {
  return (fields.get(at) ?? []).map((bytes) => read(bytes as Buffer));
}

function first(found: readonly Fields[]): Fields {
  return found[0] ?? new Map();
}

function bytesOf(fields: Fields, at: number): Buffer {
  const found = fields.get(at)?.[0];
  if (!Buffer.isBuffer(found)) throw new Error(`no field ${at}`);
  return found;
}

function text(fields: Fields, at: number): string | undefined {
  return (fields.get(at)?.[0] as Buffer | undefined)?.toString('utf8');
}

function hex(fields: Fields, at: number): string | undefined {
  return (fields.get(at)?.[0] as Buffer | undefined)?.toString('hex');
}

function number(fields: Fields, at: number): number {
  return Number(fields.get(at)?.[0] ?? 0n);
}
