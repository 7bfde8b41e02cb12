import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../../contract/call.ts';
import { asRpcError, errorFrame } from '../jsonrpc.ts';
import { isStatelessRevision } from '../revision.ts';
import { headerOf } from './headers.ts';
import { acceptsEvents, createOutlet, refuse, sendJson } from './outlet.ts';
import { findSession, type HttpDependencies } from './post.ts';

/** GET opens the stream of an older client's session, DELETE ends the session. Never throws. */
export async function answerSession(
  dependencies: HttpDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
): Promise<void> {
  try {
    const isModern = isStatelessRevision(headerOf(request, 'mcp-protocol-version'));
    const session = isModern ? undefined : await findSession(dependencies, request, arrival);
    if (!session) {
      response.setHeader('allow', 'POST');
      return refuse(response, 405, 'This needs a session of an older revision.');
    }
    if (request.method === 'DELETE') {
      await dependencies.sessions.end(session);
      response.writeHead(204).end();
      return;
    }
    if (!acceptsEvents(request)) return refuse(response, 406, 'Accept must allow text/event-stream.');
    const outlet = createOutlet(request, response);
    // One stream per session: a client that opens another has lost the first.
    session.stream?.end();
    session.stream = outlet;
    response.once('close', () => {
      if (session.stream === outlet) session.stream = undefined;
    });
    outlet.open();
  } catch (error) {
    const failure = asRpcError(error);
    sendJson(response, failure.httpStatus, errorFrame(null, failure));
  }
}
