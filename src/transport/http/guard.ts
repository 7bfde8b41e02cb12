import type { IncomingMessage } from 'node:http';

export interface GuardRules {
  /** Host names without a port, e.g. "localhost", "127.0.0.1", "[::1]"; "*" lets every name in. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may talk to us, e.g. "https://app.example.com". Our own pages always may. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Says why a request is turned away before anything else is looked at. A page that has its name pointed at this
 * machine (DNS rebinding) is betrayed by its Host, any other foreign page by its Origin.
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

/** The name in a Host header, without its port; nothing where more than a port follows it. */
export function hostName(host: string): string {
  return /^(\[[^\]]*\]|[^:[\]@/]*)(?::\d{0,5})?$/.exec(host)?.[1] ?? '';
}
