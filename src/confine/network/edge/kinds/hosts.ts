/** Whether a host is an entry of a list: `example.com`, `*.example.com` for all below it, or `gitlab.*`. */
export function isBelowHost(host: string, entry: string): boolean {
  if (entry.startsWith('*.')) return host.endsWith(entry.slice(1));
  return entry.endsWith('.*') ? host.startsWith(entry.slice(0, -1)) : host === entry;
}
