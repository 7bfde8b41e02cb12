/** The names of this machine's own interface, as `URL.hostname` and a Host header spell them. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Is this host (a name or an address, IPv6 with or without brackets) the machine's own interface? */
export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.includes(host) || host === '::1';
}

/** Does what is sent there travel encrypted, or stay on this machine: https, or http on loopback? */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** Does the address hold a user name or a password (`https://user@host/`)? It would be shown and logged with it. */
export function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}
