import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { listen } from '../support/issuer.ts';

/** An issuer of our own, for tokens that no provider would give: metadata, keys, and a signature for anything. */
export async function openSigner(options: { readonly kid?: string; readonly alg?: string } = {}) {
  const { kid = 'one', alg = 'RS256' } = options;
  const pair = await generateKeyPair(alg, { extractable: true });
  const state = { isDown: false, metadata: {} as Record<string, unknown>, keys: [] as unknown[] };
  state.keys = [{ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' }];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (state.isDown) return void response.writeHead(503).end();
    const body =
      request.url === '/jwks'
        ? { keys: state.keys }
        : { issuer, jwks_uri: `${issuer}/jwks`, ...state.metadata };
    if (request.url !== '/jwks' && !request.url?.startsWith('/.well-known/'))
      return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const issuer = await listen(server);

  function sign(
    claims: JWTPayload,
    header: Partial<JWTHeaderParameters> = {},
    key: Parameters<SignJWT['sign']>[0] = pair.privateKey,
  ): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(key);
  }

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return { issuer, pair, sign, requests, state, kid, close, [Symbol.asyncDispose]: close };
}

/** What a good token for this audience says. */
export function goodClaims(issuer: string, audience: string, nowMs = Date.now()): JWTPayload {
  const now = Math.floor(nowMs / 1000);
  return {
    iss: issuer,
    aud: audience,
    sub: 'alice',
    client_id: 'app',
    scope: 'tools:read',
    iat: now,
    exp: now + 600,
    jti: 'x',
  };
}
