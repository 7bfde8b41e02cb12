import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defer } from '../../ground/waiting/defer.ts';
import { endToEnd, type Field, pairsOf, valuesOf } from './fields.ts';
import { headersOf, type Incoming } from './incoming.ts';

/** A call of gRPC, which servers take over HTTP/2 alone. */
export function isGrpc({ isHttp2, fields }: Incoming): boolean {
  return isHttp2 && valuesOf(fields, 'content-type').some((type) => /^application\/grpc(?!-web)/i.test(type));
}

/** Forwards a call on a connection of its own, and its answer with the trailers that hold the status. */
export async function forwardGrpc(
  incoming: Incoming,
  { authority, path, body, socket }: GrpcCall,
): Promise<void> {
  const session = connect(`https://${authority}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  session.on('error', () => {});
  incoming.onGone(() => session.destroy());
  using _ = defer(() => session.close());
  const stream = session.request(
    {
      ...headersOf(endToEnd(incoming.fields, ['host', 'expect'])),
      te: 'trailers',
      ':method': incoming.method,
      ':path': path,
    },
    { endStream: false },
  );
  let trailers: readonly Field[] = [];
  stream.on('trailers', (_headers, _flags, raw: string[]) => {
    trailers = pairsOf(raw);
  });
  const answered = new Promise<{ fields: readonly Field[]; isEmpty: boolean }>((resolve, reject) => {
    stream.once('response', (_headers, flags, raw: string[]) =>
      resolve({ fields: pairsOf(raw), isEmpty: (flags & endStream) !== 0 }),
    );
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('closed without an answer')));
  });
  // The server may answer before it has read everything.
  pipeline(Readable.from(body, { objectMode: false }), stream).catch(() => {});
  const { fields, isEmpty } = await answered;
  const answer = incoming.answer({
    status: Number(valuesOf(fields, ':status')[0] ?? 502),
    reason: '',
    fields: endToEnd(fields.filter(([name]) => !name.startsWith(':'))),
    hasTrailers: !isEmpty,
    isEmpty,
  });
  if (answer.body) await pipeline(stream, answer.body, { end: false });
  answer.end(trailers);
}

const endStream = 1;

interface GrpcCall {
  readonly authority: string;
  readonly path: string;
  readonly body: AsyncIterable<Buffer>;
  /** Has agreed on HTTP/2. */
  readonly socket: Socket;
}
