import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Collection } from './collection.ts';
import { prefixSecrets } from './known.ts';
import { programsBeyond } from './programs-beyond.ts';
import { isShared, tooWide } from './prove.ts';

/**
 * Folders of a search path, with what their programs need of the installation, and what links in them lead to.
 * Returns those that commands search.
 */
export function takeSearchPath(
  collection: Collection,
  entries: readonly string[],
  home: string | undefined,
): readonly string[] {
  const { prove, take } = collection;
  const searched: string[] = [];
  // The system's own are there, but a person's links in this one may lead out.
  const toLookInto: Folder[] = [{ path: '/usr/local/bin', isOwn: true }];
  const known = new Set<string>();

  function takeBin(path: string): void {
    const verdict = prove(path);
    if (verdict.kind === 'refused') collection.leaveOut(path, verdict.because);
    if (verdict.kind !== 'outside' || known.has(verdict.real)) return;
    known.add(verdict.real);
    const isOwn = !collection.isShown(verdict.real);
    if (isOwn) for (const { path, secrets } of installationOf(verdict.real, home)) take(path, secrets);
    take(path);
    // Anybody could have put a link there, to lead us to what is not theirs.
    if (!isShared(verdict.stat)) toLookInto.push({ path: verdict.real, isOwn });
  }

  for (const entry of entries) {
    const verdict = prove(entry);
    if (verdict.kind === 'outside' && verdict.holdsRoot) {
      collection.leaveOut(entry, tooWide);
      continue;
    }
    takeBin(entry);
    // One of a project may be made later.
    if (
      verdict.kind === 'seen' ||
      verdict.kind === 'outside' ||
      (verdict.kind === 'absent' && verdict.inRoot)
    )
      searched.push(entry);
  }
  let looks = mostPrograms;
  for (const folder of toLookInto) {
    for (const program of programsBeyond(folder.path, folder.isOwn)) {
      looks--;
      if (looks < 0) break;
      const verdict = prove(program);
      if (verdict.kind === 'refused') collection.leaveOut(program, verdict.because);
      if (verdict.kind !== 'outside' || collection.isShown(verdict.real)) continue;
      const modules = verdict.real.lastIndexOf('/node_modules/');
      // Its dependencies lie beside it.
      if (modules > 0) take(verdict.real.slice(0, modules + '/node_modules'.length));
      else if (basename(dirname(verdict.real)) === 'bin') takeBin(dirname(verdict.real));
      else take(verdict.real);
    }
  }
  return searched;
}

interface Folder {
  readonly path: string;
  readonly isOwn: boolean;
}

/** What belongs to a folder of programs: all of a Python's own folder, else the libraries beside it. */
function installationOf(bin: string, home: string | undefined) {
  const prefix = dirname(bin);
  if (!/\/s?bin$/.test(bin) || prefix === home || prefix === '/') return [];
  const isPython = ['pyvenv.cfg', 'conda-meta'].some((mark) => existsSync(join(prefix, mark)));
  if (isPython) return [{ path: prefix, secrets: prefixSecrets }];
  // In ~/.local it is a person's data.
  const share = basename(prefix) === '.local' ? [] : ['share'];
  return ['lib', 'lib64', 'libexec', 'include', ...share]
    .map((name) => join(prefix, name))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, secrets: [] }));
}

/** Links and scripts that are looked at. */
const mostPrograms = 2000;
