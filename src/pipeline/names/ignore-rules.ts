import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Folder } from '../../contract/capabilities/files.ts';
import { asciiClasses, compileGlob } from '../../ground/glob/match.ts';
import { orElse } from '../../ground/or-else.ts';

/** In order of precedence: the first kind of file that mentions a path decides, in whatever folder it is. */
const kinds = [['.fdignore'], ['.ignore'], ['.gitignore'], ['.git/info/exclude']] as const;
const firstOfGit = 2;
/** Larger rule files are not read. */
const maxRuleBytes = 1024 * 1024;

interface Rule {
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  readonly matches: (path: string, name: string) => boolean;
}

/** The rules of the ignore files in a folder and those above it. Paths are absolute. */
export interface IgnoreLevel {
  /** Ignored, kept explicitly, or not mentioned. */
  verdict(path: string, isFolder: boolean): 'ignored' | 'kept' | undefined;
  readonly folder: string;
  readonly rules: readonly (readonly Rule[])[];
  readonly hasGit: boolean;
  readonly above: IgnoreLevel | undefined;
}

/** Reads the ignore files of one folder. `above` are those of the parent folder; the root has none. */
export async function ignoreLevel(
  files: Folder,
  folder: string,
  above: IgnoreLevel | undefined,
): Promise<IgnoreLevel> {
  const rules = await Promise.all(
    kinds.map(async ([name]) => (await wordsOf(files, `${folder}/${name}`)).split(/\r?\n/).flatMap(ruleOf)),
  );
  const hasGit = isThere(files, `${folder}/.git`) || (above === undefined && isInRepository(folder));
  const level = { folder, rules, above, hasGit, verdict };
  return level;

  function verdict(path: string, isFolder: boolean): 'ignored' | 'kept' | undefined {
    // Git's own files count only inside a repository, up to its top.
    const isInGit = levelsFrom(level).some(({ hasGit }) => hasGit);
    for (const kind of kinds.keys()) {
      const isGits = kind >= firstOfGit;
      if (isGits && !isInGit) return undefined;
      for (const each of levelsFrom(level)) {
        const inside = path.slice(each.folder.length + 1);
        const name = path.slice(path.lastIndexOf('/') + 1);
        const rule = each.rules[kind]?.findLast(
          (one) => (isFolder || !one.foldersOnly) && one.matches(inside, name),
        );
        if (rule) return rule.isNegated ? 'kept' : 'ignored';
        if (isGits && each.hasGit) break;
      }
    }
    return undefined;
  }
}

/** Whether a root is part of a repository. Ignore files above the root are not read, like anything there. */
function isInRepository(root: string): boolean {
  const above = dirname(root);
  return above !== root && (existsSync(`${above}/.git`) || isInRepository(above));
}

function levelsFrom(level: IgnoreLevel): IgnoreLevel[] {
  const levels: IgnoreLevel[] = [];
  for (let each: IgnoreLevel | undefined = level; each; each = each.above) levels.push(each);
  return levels;
}

async function wordsOf(files: Folder, path: string): Promise<string> {
  // Most folders have none, and an error would search for similar names.
  if (!isThere(files, path)) return '';
  try {
    return (await files.at(path).readWhole({ maxBytes: maxRuleBytes })).text;
  } catch {
    // Unreadable or no text: it ignores nothing.
    return '';
  }
}

function isThere(files: Folder, path: string): boolean {
  return orElse(() => files.at(path).exists(), false);
}

/** Parses a line of an ignore file; empty for a comment or a blank. A slash inside it anchors it to its folder. */
export function ruleOf(line: string): Rule[] {
  const written = line.replace(/(?<!\\)\s+$/, '');
  if (written === '' || written.startsWith('#')) return [];
  const isNegated = written.startsWith('!');
  const wanted = isNegated ? written.slice(1) : written;
  const foldersOnly = wanted.endsWith('/');
  const plain = foldersOnly ? wanted.slice(0, -1) : wanted;
  const isTied = plain.includes('/');
  const matches = compileGlob(plain.replace(/^\//, ''), { classes: asciiClasses });
  return [{ isNegated, foldersOnly, matches: (path, name) => matches(isTied ? path : name) }];
}
