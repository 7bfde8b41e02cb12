/** The names of this machine's loopback interface, as `URL.hostname` and a Host header spell them. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether this host (a name or an address, IPv6 with or without brackets) is the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.includes(host) || host === '::1';
}

/** Whether data sent there is encrypted or stays on this machine: https, or http on loopback. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** Whether the address contains a user name or password (`https://user@host/`), which would be shown and logged. */
export function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** Whether a secret or a person may be sent to this address. */
export function isSafeUrl(address: string | URL): boolean {
  const url = URL.parse(String(address));
  return url !== null && isSecureUrl(url) && !hasUserInfo(url);
}
