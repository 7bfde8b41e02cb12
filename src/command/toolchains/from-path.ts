import { closeSync, existsSync, openSync, readlinkSync, readSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isBelow } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { Collection } from './collection.ts';
import { prefixSecrets } from './known.ts';
import { isShared, tooWide } from './prove.ts';
import { entriesOf } from './secrets.ts';

/** Takes a search path's folders, what their programs need, and links' targets. Returns the folders to search. */
export function takeSearchPath(
  collection: Collection,
  entries: readonly string[],
  home: string | undefined,
): readonly string[] {
  const { prove, take } = collection;
  const searched: string[] = [];
  // The system's own folders are visible, but a person's links in this one may lead elsewhere.
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
    // In a folder that everyone may write, others could have made a link to files that they cannot read.
    if (!isShared(verdict.stat)) toLookInto.push({ path: verdict.real, isOwn });
  }

  for (const entry of entries) {
    const verdict = prove(entry);
    if (verdict.kind === 'outside' && verdict.holdsRoot) {
      collection.leaveOut(entry, tooWide);
      continue;
    }
    takeBin(entry);
    // A project's folder may be created later.
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
      // Its dependencies are beside it.
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

/** The other folders of an installation: all of a Python's own folder, otherwise the libraries beside it. */
function installationOf(bin: string, home: string | undefined) {
  const prefix = dirname(bin);
  if (!/\/s?bin$/.test(bin) || prefix === home || prefix === '/') return [];
  const isPython = ['pyvenv.cfg', 'conda-meta'].some((mark) => existsSync(join(prefix, mark)));
  if (isPython) return [{ path: prefix, secrets: prefixSecrets }];
  // In ~/.local, `share` contains personal data.
  const share = basename(prefix) === '.local' ? [] : ['share'];
  return ['lib', 'lib64', 'libexec', 'include', ...share]
    .map((name) => join(prefix, name))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, secrets: [] }));
}

/** Links that may lead out of a folder of programs; with `scripts`, also the interpreters of its scripts. */
function programsBeyond(folder: string, scripts: boolean): readonly string[] {
  const beyond = new Set<string>();
  for (const entry of entriesOf(folder).slice(0, mostEntries)) {
    const path = join(folder, entry.name);
    // Most links are other names of files beside them.
    if (entry.isSymbolicLink() && orElse(() => !isBelow(resolve(folder, readlinkSync(path)), folder), false))
      beyond.add(path);
    const interpreter = scripts && entry.isFile() ? interpreterOf(path) : undefined;
    if (interpreter !== undefined) beyond.add(interpreter);
  }
  return [...beyond];
}

/** `#!/home/me/tools/bin/python`: a system interpreter is visible anyway. */
function interpreterOf(script: string): string | undefined {
  return orElse(() => {
    const fd = openSync(script, 'r');
    using _ = defer(() => closeSync(fd));
    const bytes = Buffer.alloc(256);
    const line = bytes.toString('utf8', 0, readSync(fd, bytes));
    return /^#![ \t]*(\/(?!usr\/|bin\/)[^\s]+)/.exec(line)?.[1];
  }, undefined);
}

const mostEntries = 1000;
/** Limit of links and scripts. */
const mostPrograms = 2000;
