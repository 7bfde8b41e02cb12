const scheme = 'upstream://';

/** Our URI for a server's resource; two servers may use the same one. */
export function localUri(server: string, uri: string): string {
  return `${scheme}${server}/${uri}`;
}

/** The server's own URI; undefined if it belongs to another server. */
export function remoteUri(server: string, uri: string): string | undefined {
  const start = localUri(server, '');
  return uri.startsWith(start) ? uri.slice(start.length) : undefined;
}
