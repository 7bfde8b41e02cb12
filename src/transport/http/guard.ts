import type { IncomingMessage } from 'node:http';

export interface GuardRules {
  /** Host names without a port, e.g. "localhost", "127.0.0.1", "[::1]"; "*" allows any. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may call us, e.g. "https://app.example.com". Our own pages always may. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Returns the reason if a request is to be refused before anything else. The Host header reveals DNS rebinding (a page
 * whose name points to this machine), and Origin any other foreign page.
 */
export function createGuard(rules: GuardRules): (request: IncomingMessage) => string | undefined {
  const hosts = new Set(rules.allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(rules.allowedOrigins.map((origin) => origin.toLowerCase()));
  return ({ headers }) => {
    const host = headers.host?.toLowerCase() ?? '';
    if (!hosts.has('*') && !hosts.has(hostName(host))) return 'This Host is not served here.';
    const origin = headers.origin?.toLowerCase();
    if (origin === undefined || origins.has(origin)) return undefined;
    return origin === `http://${host}` || origin === `https://${host}`
      ? undefined
      : 'Requests from this Origin are not allowed.';
  };
}

/** The name in a Host header without its port; empty if the header is malformed. */
export function hostName(host: string): string {
  return /^(\[[^\]]*\]|[^:[\]@/]*)(?::\d{0,5})?$/.exec(host)?.[1] ?? '';
}
