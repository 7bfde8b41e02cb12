import type { Stats } from 'node:fs';
import { relative } from 'node:path';
import type { KeptBytes } from '../../contract/capabilities/landing.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { isBelow } from '../../ground/inside.ts';
import { openObjects } from '../layer/losses/git-objects.ts';
import { createIgnored } from '../layer/losses/ignored.ts';
import { readBounded } from '../layer/losses/read-bounded.ts';
import { createRepositories } from '../layer/losses/repository.ts';
import { type Asking, anyNumber, moreFiles, moreKept } from './asking.ts';
import type { FileStat } from './file-calls.ts';
import type { Keep } from './keep.ts';

/** Called before a loss; tells when it may happen. `by`: its replacement. `new`: git may have packed that ref. */
export type Gate = (
  path: string,
  stat: FileStat,
  how: 'gone' | 'replaced' | 'written' | 'new',
  by?: string,
) => void;

interface GateOptions {
  readonly roots: readonly string[];
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly mostBytes: KeptBytes;
}

/**
 * Counts possible losses cheaply, as an upper bound: files that git has are counted separately, and generated files are
 * not counted. Beyond the granted number the command is blocked: this thread answers none of its calls until the main
 * thread, which knows the rules and all changes, has granted more.
 */
export function createGate(keep: Keep, { roots, state, mostBytes }: GateOptions, ask: Asking): Gate {
  const tops = roots.map((root) => ({
    root,
    top: Buffer.from(root).toString('latin1'),
    isIgnored: createIgnored(Buffer.from(root).toString('latin1'), (path) => !keep.isNoted(path)),
    repositoryOf: createRepositories({ on: root, upper: root, data: '' }),
  }));
  let files = 0;
  let kept = 0;
  let bytes = 0;
  let objects = 0;

  function hold(path: string, isFolder: boolean, by?: string): void {
    ask({ kind: 'loss', path, isFolder, by, files, kept });
  }

  /** Is it an essential file of git, or a loose object? Of those, each that doubles their number is asked about. */
  function isGrave(path: string): boolean {
    const [, inside] = /(?:^|\/)\.git(?:\/(.*))?$/.exec(path) ?? [];
    if (inside === undefined || /^(HEAD|objects|refs)?$/.test(inside)) return true;
    if (/^objects\/pack\/[^/]+\.pack$/.test(inside)) return true;
    const [, folder = '', first, rest] = /^(.*\/objects)\/([0-9a-f]{2})\/([0-9a-f]{38,62})$/.exec(path) ?? [];
    if (first === undefined || openObjects([folder]).hasBesidesLoose(`${first}${rest}`)) return false;
    objects += 1;
    return objects <= mostObjects || Number.isInteger(Math.log2(objects / mostObjects));
  }

  return (path, stat, how, by) => {
    if (state[moreFiles] === anyNumber) return;
    if (/(^|\/)\.git(\/|$)/.test(path)) {
      if ((how === 'replaced' || how === 'new') && isName.test(path)) {
        if (dropsIds(path, by)) hold(path, stat.isFolder, by);
        return;
      }
      if (how === 'new') return;
      // git replaces its files as a whole, except for logs, which it appends to, and objects, which it never writes again.
      const isGits = how === 'replaced' ? !isObject.test(path) : how === 'written' && isLog.test(path);
      if (!isGits && (isGrave(path) || isName.test(path))) hold(path, stat.isFolder);
      return;
    }
    if (stat.isFolder || how === 'new') return;
    const place = tops.find(({ top }) => isBelow(path, top));
    if (!place) return;
    const inner = relative(place.top, path);
    if (inner.split('/').some((name) => generatedFolders.has(name)) || place.isIgnored(inner, false)) return;
    const before = { size: stat.bytes, mtimeMs: stat.mtimeMs } as Stats;
    if (place.repositoryOf(inner)?.keeps(inner, before)) kept += 1;
    else files += 1;
    bytes += stat.bytes;
    // A loss that the history cannot keep is asked about, whatever the number.
    if (stat.bytes > mostBytes.file || bytes > mostBytes.all) return hold(path, false);
    if (files <= (state[moreFiles] ?? 0) && files + kept <= (state[moreKept] ?? 0)) return;
    hold(path, false);
  };
}

/**
 * Does a ref, a reflog or the list of packed refs name an object that its replacement does not? The former value of a
 * ref that only moved is in its reflog, as git writes that first.
 */
function dropsIds(path: string, by: string | undefined): boolean {
  const [, git = '', name = ''] = /^(.*\/\.git)\/(.*)$/.exec(path) ?? [];
  const next = by === undefined ? undefined : textOf(by);
  if (next === undefined) return true;
  if (name === 'packed-refs') {
    const lines = new Set(next.split('\n'));
    return (
      textOf(path)
        ?.split('\n')
        .some((line) => !lines.has(line)) ?? false
    );
  }
  const packed = () =>
    textOf(`${git}/packed-refs`)
      ?.split('\n')
      .find((line) => line.endsWith(` ${name}`));
  const logs = isLog.test(path) ? [] : [`${git}/logs/${name}`, `${git}/logs/HEAD`];
  const isNamed = (id: string) => [by, ...logs].some((file) => file && textOf(file)?.includes(id));
  const ids = new Set((textOf(path) ?? packed() ?? '').match(/\b[0-9a-f]{40,64}\b/g));
  return [...ids].some((id) => !/^0+$/.test(id) && !isNamed(id));
}

function textOf(path: string): string | undefined {
  return readBounded(path, mostNamed)?.toString('latin1');
}

/** Does git find commits by this file? One that the command wrote may be the only one that leads to others' commits. */
export function namesCommits(path: string): boolean {
  return isName.test(path) && !path.endsWith('.lock');
}

/** A git ref, its reflog, or the list of packed refs. */
const isName = /\/\.git\/(.*\/)?(logs\/|refs\/(heads|tags|stash)(\/|$)|packed-refs$|HEAD$)/;
const isLog = /\/\.git\/(.*\/)?logs\//;
const isObject = /\/objects\/[0-9a-f]{2}\/[^/]+$/;
const mostObjects = 256;
const mostNamed = 16 * 1024 * 1024;
