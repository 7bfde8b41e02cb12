import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorFrame, RpcError, rpcCode } from '../jsonrpc.ts';

/** The response to an HTTP client: one JSON body, or a stream of events once there is an earlier message. */
export type Outlet = ReturnType<typeof createOutlet>;

const congestedBytes = 1024 * 1024;

export function createOutlet(request: IncomingMessage, response: ServerResponse) {
  const canStream = acceptsEvents(request);
  let state: 'fresh' | 'streaming' | 'over' = 'fresh';

  function stream(): void {
    if (state !== 'fresh') return;
    state = 'streaming';
    response.writeHead(200, [
      ...['content-type', 'text/event-stream', 'cache-control', 'no-cache, no-transform'],
      ...['x-accel-buffering', 'no'],
    ]);
  }

  return {
    /** Whether the client accepts a stream of events. */
    canStream,
    /** Begins the stream before the first message. */
    open() {
      stream();
      response.flushHeaders();
    },
    /** Sends a message now, as an event; dropped without `canStream`. */
    event(frame: string) {
      if (!canStream || state === 'over') return;
      stream();
      response.write(eventOf(frame));
    },
    /** Sends the last message. */
    finish(status: number, frame: string, headers: readonly string[] = []) {
      if (state === 'streaming') response.end(eventOf(frame));
      else if (state === 'fresh') sendJson(response, status, frame, headers);
      state = 'over';
    },
    /** Ends without a last message. */
    end(status: number = 202) {
      if (state === 'streaming') response.end();
      else if (state === 'fresh') response.writeHead(status, ['content-length', '0']).end();
      state = 'over';
    },
    isCongested: () => response.writableLength > congestedBytes,
    /** Keeps a slow response alive: turns it into a stream, or sends a sign of life on the stream. */
    beat() {
      if (canStream) stream();
      if (state === 'streaming') response.write(': still here\n\n');
    },
  };
}

/** The request was no message, but is still refused in the protocol's format. */
export function refuse(response: ServerResponse, status: number, reason: string): void {
  const code = status === 500 ? rpcCode.internalError : rpcCode.serverBusy;
  sendJson(response, status, errorFrame(null, new RpcError(code, reason)));
}

export function sendJson(
  response: ServerResponse,
  status: number,
  json: string,
  headers: readonly string[] = [],
): void {
  response.writeHead(status, [
    ...['content-type', 'application/json', 'content-length', String(Buffer.byteLength(json))],
    ...headers,
  ]);
  response.end(json);
}

export function acceptsEvents({ headers }: IncomingMessage): boolean {
  const { accept } = headers;
  return accept?.includes('text/event-stream') === true;
}

function eventOf(frame: string): string {
  return `event: message\ndata: ${frame}\n\n`;
}
