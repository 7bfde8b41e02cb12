const scheme = 'upstream://';

/** A server's URI as we serve it: two servers may use the same. */
export function localUri(server: string, uri: string): string {
  return `${scheme}${server}/${uri}`;
}
