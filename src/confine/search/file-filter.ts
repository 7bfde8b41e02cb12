import { createGlob } from './glob.ts';

/** Which files a content search looks into, by the caller's glob. */
export interface FileFilter {
  /** For ripgrep: leaves out no file that passes, and most of those that do not. */
  readonly args: readonly string[];
  /** The last word, on a path below the folder that is searched. */
  passes(path: string): boolean;
}

/**
 * A pattern without `/` is a name at any depth, `!` in front leaves files out. ripgrep lets a glob win over ignore
 * files, so that `**` would search what they leave out: it gets the last name as a type, which narrows and cannot
 * bring anything back, and the path is matched here. Throws `invalid_parameter`.
 */
export function createFileFilter(glob: string | undefined): FileFilter {
  if (glob === undefined) return { args: [], passes: () => true };
  if (glob.startsWith('!')) {
    createGlob(withoutLead(glob.slice(1)), 'glob');
    return { args: [`--glob=${glob}`], passes: () => true };
  }
  const written = withoutLead(glob);
  const matches = createGlob(written.includes('/') ? written : `**/${written}`, 'glob');
  const name = written.slice(written.lastIndexOf('/') + 1);
  return {
    args: understoodAlike.test(name) ? [`--type-add=wanted:${name}`, '--type=wanted'] : [],
    // A file that is named as the one to search goes by no other name.
    passes: (path) => path === '.' || matches(path),
  };
}

/** Stars, dots and one level of braces mean the same to ripgrep; a brace that holds a `/` does not end up here whole. */
const understoodAlike = /^(?=.*[^*])(?:[\w.*?-]|\{[\w.*?,-]*\})+$/;

function withoutLead(glob: string): string {
  return glob.startsWith('/') && glob.length > 1 ? glob.slice(1) : glob;
}
