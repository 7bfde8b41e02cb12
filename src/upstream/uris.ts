const scheme = 'upstream://';

/** A server's URI as we serve it: two servers may use the same. */
export function localUri(server: string, uri: string): string {
  return `${scheme}${server}/${uri}`;
}

/** Whose URI it is, and what it is there. */
export function remoteUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  const rest = uri.startsWith(scheme) ? uri.slice(scheme.length) : '';
  const slash = rest.indexOf('/');
  if (slash <= 0) return undefined;
  return { server: rest.slice(0, slash), uri: rest.slice(slash + 1) };
}
