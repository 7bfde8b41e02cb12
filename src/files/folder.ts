import { lstatSync } from 'node:fs';
import type { Folder, FolderRoot, Place } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { orElse } from '../ground/or-else.ts';
import { linkLeadsOut } from './fault.ts';
import { followLinks } from './links.ts';
import { componentsOf, shownPath } from './names.ts';
import { HeldPlace } from './place.ts';
import type { WorkspaceDependencies } from './place-facts.ts';
import { fold, type Protection } from './protected-names.ts';
import type { Root } from './walk.ts';

/** Shared by the folders of one workspace. */
export interface FolderOptions {
  readonly roots: readonly Root[];
  readonly dependencies: WorkspaceDependencies;
  readonly protection: Protection;
  /** Paths that must not be reached, as folded components from `/`. */
  readonly hiddenPaths: readonly (readonly string[])[];
  readonly readOnly: boolean;
  /** Whether symbolic links to something inside are followed. */
  readonly follows: boolean;
  /** Names below the (only) root that this folder omits from its paths. */
  readonly below: readonly string[];
  /** Whether this is the whole workspace, whose bounds `--allow-path` extends. */
  readonly whole: boolean;
  /** Whether to hide a path below this folder from the caller. */
  readonly hides?: ((path: string) => boolean) | undefined;
}

/** Folders by path. A path becomes a place lexically; only the Unicode form of its names is asked of the disk. */
export class HeldFolder implements Folder {
  readonly roots: readonly FolderRoot[];
  readonly #options: FolderOptions;
  readonly #base: readonly string[];

  constructor(options: FolderOptions) {
    this.#options = options;
    const [first] = options.roots;
    this.#base = [...(first?.components ?? []), ...options.below];
    const folders = options.roots.filter((root) => root.file === undefined);
    this.roots = folders.map((root) => ({
      hostPath: `/${[...root.components, ...options.below].join('/')}`,
      writable: root.writable && !options.readOnly,
    }));
  }

  at(path: string, options?: { readonly base?: string }): Place {
    const from = options?.base === undefined ? this.#base : componentsOf(options.base, this.#base);
    const place = this.#inFurtherRoot(path, this.#place(path, componentsOf(path, from)));
    return this.#options.follows ? this.#followed(place, path) : place;
  }

  sub(path: string): Folder {
    const place = this.at(path) as HeldPlace;
    return new HeldFolder({
      ...this.#options,
      roots: [place.root],
      below: place.components,
      whole: false,
    });
  }

  /** The same folder with other rights. */
  with(change: Partial<Pick<FolderOptions, 'readOnly' | 'follows' | 'protection' | 'hides'>>): HeldFolder {
    return new HeldFolder({ ...this.#options, ...change });
  }

  /** A relative path that the first root does not have is looked for in the others; a new file is the first root's. */
  #inFurtherRoot(path: string, place: HeldPlace): HeldPlace {
    const { roots, whole } = this.#options;
    if (!whole || roots.length === 1 || path.startsWith('/') || occurs(place)) return place;
    for (const root of roots.slice(1)) {
      const absolute = componentsOf(path, root.components);
      if (root.file !== undefined || !startsWith(absolute, root.components)) continue;
      const other = this.#place(path, absolute);
      if (occurs(other)) return other;
    }
    return place;
  }

  #followed(place: HeldPlace, path: string): Place {
    const named = [...place.root.components, ...place.components];
    const real = followLinks(named, (names) => {
      const found = this.#rootOf(names);
      if (!found) return undefined;
      const below = names.slice(found.depth);
      return { names: [...found.root.components, ...below], isRoot: below.length === 0 };
    });
    if (real.length === named.length && startsWith(real, named)) return place;
    if (!this.#rootOf(real)) throw linkLeadsOut(place.shown);
    return this.#place(path, real);
  }

  /** The root that contains a path, and the number of names that lead to it. Of nested roots, the inner one counts. */
  #rootOf(absolute: readonly string[]): { index: number; root: Root; depth: number } | undefined {
    let best: { index: number; root: Root; depth: number } | undefined;
    for (const [index, root] of this.#options.roots.entries()) {
      const depth = depthIn(root, absolute);
      if (depth >= 0 && (!best || root.components.length > best.root.components.length)) {
        best = { index, root, depth };
      }
    }
    return best;
  }

  #place(path: string, absolute: readonly string[]): HeldPlace {
    const { below, readOnly, dependencies } = this.#options;
    const best = this.#rootOf(absolute);
    if (!best) throw this.#outside(path);
    const components =
      best.root.file === undefined
        ? spelledAsOnDisk(best.root.components, absolute.slice(best.depth))
        : [best.root.file];
    if (!startsWith(components, below)) throw this.#outside(path);
    if (this.#options.hiddenPaths.length > 0)
      this.#assertShown(path, [...best.root.components, ...components]);
    return new HeldPlace({
      root: best.root,
      rootIndex: best.index,
      components,
      hidden: below.length,
      given: path,
      writable: best.root.writable && !readOnly,
      isShown: this.#isShownIn(best.root),
      dependencies,
      protection: this.#protectionIn(best.root),
    });
  }

  /** A folder above a hidden path must not be moved: that would reveal it under another name. */
  #protectionIn(root: Root): Protection {
    const { protection, hiddenPaths } = this.#options;
    if (hiddenPaths.length === 0) return protection;
    return (components, asFolder) => {
      const name = protection(components, asFolder);
      if (name !== undefined || !asFolder) return name;
      const folder = [...root.components, ...components].map(fold);
      return hiddenPaths.find((hidden) => startsWith(hidden, folder))?.at(-1);
    };
  }

  #isShownIn(root: Root): (components: readonly string[]) => boolean {
    const { hiddenPaths, hides, below } = this.#options;
    return (components) => {
      const folded = [...root.components, ...components].map(fold);
      if (hiddenPaths.some((hidden) => startsWith(folded, hidden))) return false;
      return hides?.(components.slice(below.length).join('/')) !== true;
    };
  }

  #assertShown(path: string, absolute: readonly string[]): void {
    const folded = absolute.map(fold);
    if (!this.#options.hiddenPaths.some((hidden) => startsWith(folded, hidden))) return;
    throw new ToolError(
      'forbidden',
      `${shownPath(path)} belongs to this server and is not shown to tools.`,
      `${shownPath(path)} はこのサーバー自身のもので、ツールからは見えません。`,
      text('Choose another path.', '別のパスを選んでください。'),
    );
  }

  #outside(path: string): ToolError {
    const shown = shownPath(path);
    // The whole machine is nothing to allow: of what lies at its top, that alone.
    const parent = path.startsWith('/') ? shownPath(path.slice(0, path.lastIndexOf('/')) || path) : 'PATH';
    return new ToolError(
      'out_of_scope',
      `${shown} is outside the allowed folders.`,
      `${shown} は許可されたフォルダーの外にあります。`,
      this.#options.whole
        ? {
            suggestion: text(
              `Start with --allow-path ${parent} to allow it.`,
              `許可するには --allow-path ${parent} を付けて起動してください。`,
            ),
          }
        : {
            suggestion: text('Use a path inside this folder.', 'このフォルダー内のパスを指定してください。'),
          },
    );
  }
}

/** Is something there? A link on the way counts: using the place tells about it. */
function occurs(place: HeldPlace): boolean {
  return orElse(() => place.exists(), true);
}

/** The number of a path's names that lead to a root; -1 if it is elsewhere. */
function depthIn({ components, alias, file }: Root, absolute: readonly string[]): number {
  if (file !== undefined) {
    const isNamed = [[...components, file], alias].some(
      (names) => names?.length === absolute.length && startsWith(absolute, names),
    );
    return isNamed ? components.length : -1;
  }
  if (startsWith(absolute, components)) return components.length;
  return alias && startsWith(absolute, alias) ? alias.length : -1;
}

function startsWith(whole: readonly string[], start: readonly string[]): boolean {
  if (start.length > whole.length) return false;
  for (let index = 0; index < start.length; index++) if (whole[index] !== start[index]) return false;
  return true;
}

/**
 * The path with the spelling on the disk: a name that exists only in the other Unicode form, composed or decomposed (as
 * macOS and tools that sync with it write), is replaced by that. Otherwise a name that looks the same would not be
 * found, and be created again. Accesses the disk only for names with two forms. It proves nothing: the place is walked
 * like any other.
 */
function spelledAsOnDisk(root: readonly string[], components: readonly string[]): readonly string[] {
  if (!components.some(hasTwoForms)) return components;
  const path: string[] = [...root];
  return components.map((name) => {
    const there = hasTwoForms(name)
      ? [name, name.normalize('NFC'), name.normalize('NFD')].find((form) => isOnDisk([...path, form]))
      : undefined;
    path.push(there ?? name);
    return there ?? name;
  });
}

function hasTwoForms(name: string): boolean {
  return /[^\x00-\x7f]/.test(name) && name.normalize('NFC') !== name.normalize('NFD');
}

/** The walk reports problems of the path. */
function isOnDisk(path: readonly string[]): boolean {
  return orElse(() => lstatSync(`/${path.join('/')}`, { throwIfNoEntry: false }) !== undefined, false);
}
