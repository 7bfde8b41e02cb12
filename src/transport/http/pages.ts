import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRpcError } from '../jsonrpc.ts';
import { readBody } from './body.ts';

/** Web pages with the interface of web frameworks: a Request in, a Response out. */
export interface Pages {
  /** Whether the path is one of these pages; asked before a body is read or anything is loaded. */
  claims(path: string): boolean;
  answer(request: Request, from: { readonly address?: string | undefined }): Promise<Response>;
}

/** Lets pages answer requests of node:http. A client that stops reading is disconnected. */
export function routePages(
  pages: Pages,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (incoming, outgoing) => {
    const path = (incoming.url ?? '/').split('?', 1)[0] ?? '/';
    if (!pages.claims(path)) return false;
    const request = await requestOf(incoming).catch((error: unknown) => {
      outgoing.writeHead(asRpcError(error).httpStatus, { connection: 'close' }).end();
      return undefined;
    });
    if (!request) return true;
    const response = await pages.answer(request, { address: incoming.socket.remoteAddress });
    await send(response, outgoing, incoming.method === 'HEAD');
    return true;
  };
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? await readBody(incoming, maxFormBytes) : undefined;
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method,
    headers,
    ...(body && { body: new Uint8Array(body) }),
  });
}

async function send(response: Response, outgoing: ServerResponse, isHead: boolean): Promise<void> {
  const headers = [...response.headers].flat();
  outgoing.writeHead(response.status, headers);
  if (!response.body || isHead) {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  const reader = response.body.getReader();
  const gone = new Promise<'gone'>((resolve) => {
    outgoing.once('close', () => resolve('gone'));
    if (outgoing.closed) resolve('gone');
  });
  outgoing.flushHeaders();
  for (;;) {
    const step = await Promise.race([reader.read(), gone]);
    if (step === 'gone') break;
    if (step.done) {
      outgoing.end();
      return;
    }
    if (outgoing.write(step.value)) continue;
    if ((await Promise.race([drained(outgoing), gone])) !== undefined) break;
  }
  outgoing.destroy();
  // The client is gone, so errors do not matter.
  await reader.cancel().catch(() => {});
}

/** Resolves with undefined when there is room again, or with `late` if the client reads nothing for too long. */
function drained(outgoing: ServerResponse): Promise<'late' | undefined> {
  return once(outgoing, 'drain', { signal: AbortSignal.timeout(slowestReaderMs) }).then(
    () => undefined,
    () => 'late',
  );
}

/** The largest form is a memory with its tags. */
const maxFormBytes = 1024 * 1024;
const slowestReaderMs = 30_000;
