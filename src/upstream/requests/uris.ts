const scheme = 'upstream://';

/** A server's URI as we serve it: two servers may use the same. */
export function localUri(server: string, uri: string): string {
  return `${scheme}${server}/${uri}`;
}

/** The server's own again; undefined for one that is not of this server. */
export function remoteUri(server: string, uri: string): string | undefined {
  const start = localUri(server, '');
  return uri.startsWith(start) ? uri.slice(start.length) : undefined;
}
