import { ToolError } from '../../contract/error.ts';
import type { Access } from './access.ts';
import { loginNeeded, moreScopeNeeded } from './errors.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Our error for a refused request, if the SDK has wrapped it. */
export function refusalIn(error: unknown): ToolError | undefined {
  if (error instanceof ToolError) return error;
  const { cause } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly cause?: unknown;
  };
  return cause instanceof ToolError ? cause : undefined;
}

/** Adds the current token to each request to the server's own origin, and to no other. */
export function createAuthorizedFetch(name: string, serverUrl: string, access: Access, send: Fetch): Fetch {
  const { origin } = new URL(serverUrl);
  return async function authorized(url: string | URL, init: RequestInit = {}): Promise<Response> {
    if (new URL(url).origin !== origin) return await send(url, init);
    let token = await access.token();
    let response = await send(url, withToken(init, token));
    if (response.status === 401) {
      const refused = token;
      // A login may have completed in the meantime.
      token = await (refused === undefined ? access.token() : access.renew(refused));
      if (token !== undefined) {
        await letGo(response.body);
        response = await send(url, withToken(init, token));
      }
    }
    if (response.status !== 401 && response.status !== 403) return response;
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (response.status === 401) {
      await letGo(response.body);
      throw loginNeeded(name);
    }
    if (error !== 'insufficient_scope') return response;
    await letGo(response.body);
    if (scope !== undefined && isScope(scope)) access.wants(scope);
    throw moreScopeNeeded(name, scope);
  };
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** A scope in the syntax of RFC 6749, of reasonable length. */
function isScope(words: string): boolean {
  return words.length <= 1000 && /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(words);
}

/** Discards the rest of a response. It may have ended already. */
async function letGo(body: ReadableStream | null): Promise<void> {
  await body?.cancel().catch(() => {});
}
