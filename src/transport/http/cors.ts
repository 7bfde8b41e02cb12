import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Allows browsers to let pages of the allowed origins call and read replies. Returns whether it answered the request,
 * as for a preflight.
 */
export function createCors(
  allowedOrigins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin.toLowerCase())) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'origin');
    response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after');
    if (request.method !== 'OPTIONS') return false;
    response.setHeader('access-control-allow-methods', 'POST, GET, DELETE');
    response.setHeader(
      'access-control-allow-headers',
      'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
    );
    response.setHeader('access-control-max-age', '600');
    response.writeHead(204).end();
    return true;
  };
}
