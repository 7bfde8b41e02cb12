import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { type Field, pairsOf, valuesOf } from './fields.ts';
import type { Replacement } from './keys/replacement.ts';

/** A request on its connection, the same for HTTP/1.1 and HTTP/2. */
export interface Incoming {
  readonly method: string;
  /** As sent: a path with its query, or a whole address. */
  readonly target: string;
  /** Undefined if none is named, or more than one. */
  readonly authority: string | undefined;
  readonly fields: readonly Field[];
  readonly body: Readable;
  /** By its framing: in HTTP/2, a GET may have one too. */
  readonly hasBody: boolean;
  readonly isHttp2: boolean;
  /** The client has left. */
  isGone(): boolean;
  onGone(listener: () => void): void;
  /** Sends `100 Continue`. */
  proceed(): void;
  answer(head: AnswerHead): Answer;
  /** Breaks off: what was sent cannot pass for a whole answer. */
  abort(): void;
  /** Replaces what an answer must not show, after a switch of protocols. */
  readonly hider?: Replacement | undefined;
}

export interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  readonly fields: readonly Field[];
  readonly hasTrailers?: boolean | undefined;
  /** The fields are all of it, which gRPC tells from an empty body. */
  readonly isEmpty?: boolean | undefined;
  /** No other request follows on this connection. */
  readonly closes?: boolean | undefined;
}

export interface Answer {
  /** Undefined if such an answer has no body. */
  readonly body: Writable | undefined;
  end(trailers?: readonly Field[]): void;
}

export function incomingOverHttp1(message: IncomingMessage, response: ServerResponse): Incoming {
  const fields = pairsOf(message.rawHeaders).filter(isForHost);
  const hosts = valuesOf(fields, 'host');
  const { headers } = message;
  return {
    method: message.method ?? '',
    target: message.url ?? '',
    authority: hosts.length === 1 ? hosts[0] : undefined,
    fields,
    body: message,
    hasBody: headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0,
    isHttp2: false,
    isGone: () => response.destroyed,
    onGone: (listener) => void response.once('close', listener),
    proceed: () => response.writeContinue(),
    answer({ status, reason, fields, closes }) {
      response.writeHead(status, reason, [...fields.flat(), ...(closes ? ['Connection', 'close'] : [])]);
      return {
        body: response,
        end(trailers = []) {
          if (trailers.length > 0)
            response.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
          response.end();
        },
      };
    },
    abort: () => void response.destroy(),
  };
}

export function incomingOverHttp2(
  stream: ServerHttp2Stream,
  { rawHeaders, isWhole }: { readonly rawHeaders: readonly string[]; readonly isWhole: boolean },
): Incoming {
  const all = pairsOf(rawHeaders).filter(isForHost);
  const pseudo = (name: string) => valuesOf(all, name)[0];
  const named = [...new Set([...valuesOf(all, ':authority'), ...valuesOf(all, 'host')])];
  return {
    method: pseudo(':method') ?? '',
    target: pseudo(':path') ?? '',
    authority: named.length === 1 ? named[0] : undefined,
    fields: withOneCookie(all.filter(([name]) => !name.startsWith(':'))),
    body: stream,
    hasBody: !isWhole,
    isHttp2: true,
    isGone: () => stream.destroyed || stream.closed,
    onGone: (listener) => void stream.once('close', listener),
    proceed() {
      if (!stream.headersSent && !stream.destroyed) stream.additionalHeaders({ ':status': 100 });
    },
    answer({ status, fields, hasTrailers = false, isEmpty = false }) {
      let last: readonly Field[] = [];
      stream.once('wantTrailers', () => stream.sendTrailers(headersOf(last)));
      stream.respond(
        { ':status': status, ...headersOf(fields) },
        { waitForTrailers: hasTrailers, endStream: isEmpty },
      );
      return {
        body: stream.writableEnded ? undefined : stream,
        end(trailers = []) {
          last = trailers;
          stream.end();
        },
      };
    },
    abort: () => stream.close(internalError),
  };
}

const internalError = 2;

/** npm tells each registry the digest that it expects. None reads it, and anything could stand in its place. */
function isForHost([name]: Field): boolean {
  return name.toLowerCase() !== 'pacote-integrity';
}

/** HTTP/2 may split cookies; HTTP/1.1 has one such field. */
function withOneCookie(fields: readonly Field[]): readonly Field[] {
  const cookies = valuesOf(fields, 'cookie');
  if (cookies.length < 2) return fields;
  return [...fields.filter(([name]) => name.toLowerCase() !== 'cookie'), ['cookie', cookies.join('; ')]];
}

/** By lower-case name, as HTTP/2 demands. */
export function headersOf(fields: readonly Field[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const name of new Set(fields.map(([name]) => name.toLowerCase()))) {
    const values = valuesOf(fields, name);
    headers[name] = name === 'set-cookie' ? [...values] : values.join(', ');
  }
  return headers;
}
