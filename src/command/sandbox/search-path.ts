/** The folders to search for programs: the server's own absolute ones, then the system's. */
export function searchPath(path: string | undefined): string[] {
  const own = (path ?? '').split(':').filter((folder) => /^\/./.test(folder) && !folder.includes('\0'));
  return [...new Set([...own, ...systemPath])];
}

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
