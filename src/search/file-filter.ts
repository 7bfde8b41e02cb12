import { createGlob } from './glob.ts';

/** Selects the files of a content search by the caller's glob. */
export interface FileFilter {
  /** Arguments for ripgrep: they exclude no file that passes, and most of the others. */
  readonly args: readonly string[];
  /** The final decision for a path below the searched folder. */
  passes(path: string): boolean;
}

/**
 * A pattern without `/` is a name at any depth; `!` in front excludes files. In ripgrep a glob overrides ignore files,
 * so `**` would search ignored files: ripgrep therefore gets the last name as a type, which can only narrow the search,
 * and the path is matched here. Throws `invalid_parameter`.
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
    // `.` is a file that was itself named as the search path: the glob does not filter it.
    passes: (path) => path === '.' || matches(path),
  };
}

/** ripgrep reads stars, dots and one level of braces the same way; a brace with a `/` in it does not get here whole. */
const understoodAlike = /^(?=.*[^*])(?:[\w.*?-]|\{[\w.*?,-]*\})+$/;

function withoutLead(glob: string): string {
  return glob.startsWith('/') && glob.length > 1 ? glob.slice(1) : glob;
}
