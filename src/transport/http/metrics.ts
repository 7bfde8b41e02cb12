import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '../../contract/gateway.ts';
import { challengeOf, type ProtectedResource } from './challenge.ts';
import { refuse } from './outlet.ts';

export interface MetricsPage {
  readonly text: () => string | Promise<string>;
  readonly resource: ProtectedResource | undefined;
}

/** Metrics of all users for the operator of this server: agents and users are refused. */
export async function answerMetrics(
  { text, resource }: MetricsPage,
  request: IncomingMessage,
  response: ServerResponse,
  { observes, lacksAdmin: scope }: Extract<Admission, { ok: true }>,
): Promise<void> {
  request.resume();
  if (observes === undefined) {
    // Agents are admitted without a token elsewhere, since their calls identify them; not here.
    if (request.headers.authorization === undefined) {
      response.setHeader('www-authenticate', challengeOf(resource, {}));
      return refuse(response, 401, 'no_credential');
    }
    if (scope === undefined) return refuse(response, 403, 'This needs the role metrics, operator or admin.');
    response.setHeader('www-authenticate', challengeOf(resource, { error: 'insufficient_scope', scope }));
    return refuse(response, 403, 'This needs the scope admin.');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405, 'Send GET.');
  }
  const body = await text();
  response.writeHead(200, {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
