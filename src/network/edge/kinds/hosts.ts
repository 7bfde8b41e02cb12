const kept = new Map<string, RegExp>();

/** Whether a host fits an entry of our own lists: `example.com`, `*.example.com`, `gitlab.*`. */
export function isBelowHost(host: string, entry: string): boolean {
  if (!entry.includes('*')) return host === entry;
  const known = kept.get(entry);
  if (known) return known.test(host);
  const made = new RegExp(`^${entry.replaceAll('.', '\\.').replaceAll('*', '.+')}$`);
  kept.set(entry, made);
  return made.test(host);
}
