/**
 * A path in the container: the same, so that configurations, records and clients' paths work in both; a Windows drive
 * as Docker writes it, `C:\Users\me` as `/c/Users/me`.
 */
export function innerPath(path: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(path);
  if (!drive) return path;
  return `/${drive[1]?.toLowerCase()}${path.slice(2).replaceAll('\\', '/')}`;
}
