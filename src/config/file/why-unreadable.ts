/** Why a file or folder that somebody named cannot be read, in words that end a sentence. */
export function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return reasons[code as keyof typeof reasons] ?? `the system says ${code ?? 'no reason'}`;
}

const reasons = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'what its path names as a folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'its name is too long',
} as const;
