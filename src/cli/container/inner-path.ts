/** A path in the container: the same, so that configurations and records work in both; a Windows drive as Docker's. */
export function innerPath(path: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(path);
  if (!drive) return path;
  return `/${drive[1]?.toLowerCase()}${path.slice(2).replaceAll('\\', '/')}`;
}
