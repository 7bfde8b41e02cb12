import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { readTraceRequest } from './read-protobuf.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Pair = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

/** A collector as OTLP over HTTP has it, in either encoding. What it answers can be changed for worse. */
export async function openReceiver(answer?: (response: ServerResponse) => void) {
  const spans: ReceivedSpan[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const bodies: string[] = [];
  const requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const isJson = request.headers['content-type'] === 'application/json';
      const body = isJson ? bytes.toString() : JSON.stringify(readTraceRequest(bytes));
      requests.push({ url: request.url ?? '', headers: request.headers });
      bodies.push(body);
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        resources.push(attributesOf(resource.attributes));
        for (const scope of scopeSpans) {
          for (const span of scope.spans) spans.push({ ...span, attributes: attributesOf(span.attributes) });
        }
      }
      if (answer) answer(response);
      else response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    bodies,
    requests,
    named: (name: string): ReceivedSpan => {
      const span = spans.find((each) => each.name === name);
      if (!span) throw new Error(`no span ${name} among ${spans.map((each) => each.name).join(', ')}`);
      return span;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The text of any value; the kinds are the protocol's. */
function attributesOf(pairs: readonly Pair[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
