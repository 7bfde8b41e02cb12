import { orElse } from '../../ground/or-else.ts';
import { withoutCode } from './code-fences.ts';

/** A link in a note. */
export interface Link {
  readonly line: number;
  /** As written: `[[house|our house]]`, `[plan](plan.md)`. */
  readonly written: string;
  /** Its target: a name or path without anchor and title. */
  readonly target: string;
  readonly kind: 'wiki' | 'markdown';
}

/** Wiki and Markdown links of some lines. Links elsewhere (`https:`, `mailto:`) and within the note are left out. */
export function linksIn(lines: readonly string[], firstLine: number): readonly Link[] {
  const links: Link[] = [];
  for (const [index, line] of lines.entries()) {
    if (!mayHoldLink(line)) continue;
    const words = withoutCode(line);
    for (const found of words.matchAll(/\[\[([^[\]|#^]{1,500})(?:[#^|][^[\]]{0,500})?\]\]/g)) {
      // In a table the bar is escaped: `[[house\\|our house]]`.
      add(index, 'wiki', found[0], (found[1] ?? '').replace(/\\$/, '').trim());
    }
    for (const found of words.matchAll(
      /\]\((?:<([^<>]{1,1000})>|((?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,1000}))(?:\s{1,9}["'(][^)]{0,300})?\)/g,
    )) {
      // Searches only nearby: a line of endings without a beginning would be scanned over and over.
      const before = words.slice(Math.max(0, found.index - maxLabelChars), found.index);
      const label = before.lastIndexOf('[');
      const written = label === -1 ? found[0] : before.slice(label) + found[0];
      addMarkdown(index, written, found[1] ?? found[2] ?? '');
    }
    const [definition, inBrackets, bare] =
      /^ {0,3}\[(?!\^)[^\]]{1,300}\]:\s{0,9}(?:<([^<>]{1,1000})>|(\S{1,1000}))/.exec(words) ?? [];
    if (definition !== undefined) addMarkdown(index, definition.trim(), inBrackets ?? bare ?? '');
  }
  return links;

  function addMarkdown(index: number, written: string, target: string): void {
    if (/^[a-z][a-z0-9+.-]*:|^\/\/|^#/i.test(target)) return;
    add(index, 'markdown', written, decoded(target.replace(/[#?].*$/, '')));
  }

  function add(index: number, kind: Link['kind'], written: string, target: string): void {
    if (target !== '') links.push({ line: firstLine + index, written, target, kind });
  }
}

/** A quick check, since most texts have no links. The last is `[label]: target` of reference links. */
export function mayHoldLink(words: string): boolean {
  return words.includes('](') || words.includes('[[') || words.includes(']:');
}

const maxLabelChars = 300;

/** Finds the note that a link means. */
export interface LinkResolver {
  /** The path of the note; undefined if it does not exist. */
  resolve(link: Pick<Link, 'target' | 'kind'>, fromPath: string): string | undefined;
}

/**
 * A Markdown link is relative to its note. A wiki link is a path from the vault's root, or a bare name in any folder:
 * in the same folder first, then the shortest path. `.md` may be left out; case does not matter.
 */
export function createLinkResolver(paths: readonly string[]): LinkResolver {
  const byPath = new Map<string, string>();
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    byPath.set(keyOf(path), path);
    const name = keyOf(path.slice(path.lastIndexOf('/') + 1));
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }

  function at(path: string | undefined): string | undefined {
    if (path === undefined) return undefined;
    return byPath.get(keyOf(path)) ?? byPath.get(keyOf(`${path}.md`));
  }

  function named(name: string, folder: string): string | undefined {
    const found = byName.get(keyOf(name)) ?? byName.get(keyOf(`${name}.md`)) ?? [];
    return found.find((path) => folderOf(path) === folder) ?? found.toSorted(byLength)[0];
  }

  return {
    resolve({ target, kind }, fromPath) {
      const folder = folderOf(fromPath);
      const fromRoot = at(joined('', target));
      const fromHere = at(target.startsWith('/') ? joined('', target) : joined(folder, target));
      if (kind === 'markdown') return fromHere;
      return target.includes('/') ? (fromRoot ?? fromHere) : named(target, folder);
    },
  };
}

function byLength(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : 1);
}

function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The path with `.` and `..` resolved textually; undefined if it leaves the vault. */
function joined(folder: string, target: string): string | undefined {
  const names = folder === '' ? [] : folder.split('/');
  for (const name of target.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/');
}

function decoded(target: string): string {
  // A bare percent sign: the name is meant literally.
  return orElse(() => decodeURIComponent(target), target);
}
