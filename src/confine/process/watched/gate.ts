import type { Stats } from 'node:fs';
import { relative } from 'node:path';
import type { KeptBytes } from '../../../contract/capabilities/landing.ts';
import { generatedFolders } from '../../../ground/generated-folders.ts';
import { isBelow } from '../../../ground/inside.ts';
import { openObjects } from '../../layer/losses/git-objects.ts';
import { createIgnored } from '../../layer/losses/ignored.ts';
import { createRepositories } from '../../layer/losses/repository.ts';
import { type Asking, anyNumber, moreFiles, moreKept } from './asking.ts';
import type { Keep } from './keep.ts';
import type { Gate } from './perform.ts';

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

  function hold(path: string, isFolder: boolean): void {
    ask({ kind: 'loss', path, isFolder, files, kept });
  }

  /**
   * Is it an essential file of git, or an object that is in no pack? Pruning removes thousands of those: then only each
   * that doubles their number is asked about.
   */
  function isGrave(path: string): boolean {
    const [, inside] = /(?:^|\/)\.git(?:\/(.*))?$/.exec(path) ?? [];
    if (inside === undefined || /^(HEAD|objects|refs)?$/.test(inside)) return true;
    if (/^objects\/pack\/[^/]+\.pack$/.test(inside)) return true;
    const [, folder = '', first, rest] = /^(.*\/objects)\/([0-9a-f]{2})\/([0-9a-f]{38,62})$/.exec(path) ?? [];
    if (first === undefined || openObjects([folder]).hasBesidesLoose(`${first}${rest}`)) return false;
    objects += 1;
    return objects <= mostObjects || Number.isInteger(Math.log2(objects / mostObjects));
  }

  return (path, stat, how) => {
    if (state[moreFiles] === anyNumber) return;
    if (/(^|\/)\.git(\/|$)/.test(path)) {
      // git replaces its files as a whole, except for logs, which it appends to, and objects, which it never writes again.
      const isGits = how === 'replaced' ? !isObject.test(path) : how === 'written' && isLog.test(path);
      if (!isGits && (isGrave(path) || isName.test(path))) hold(path, stat.isFolder);
      return;
    }
    if (stat.isFolder) return;
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

/** A git ref, or its reflog. */
const isName = /\/\.git\/(.*\/)?(logs\/|refs\/(heads|tags|stash)(\/|$))/;
const isLog = /\/\.git\/(.*\/)?logs\//;
const isObject = /\/objects\/[0-9a-f]{2}\/[^/]+$/;
const mostObjects = 256;
