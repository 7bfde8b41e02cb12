import type { Stats } from 'node:fs';
import type { KeptBytes } from '../../../contract/capabilities/landing.ts';
import { generatedFolders } from '../../../ground/generated-folders.ts';
import { createIgnored } from '../../layer/losses/ignored.ts';
import { createRepositories } from '../../layer/losses/repository.ts';
import { type Keep, Unkept } from './keep.ts';
import type { Gate } from './perform.ts';

/** A loss that waits, and for which somebody is to say whether it may happen. */
export interface GateQuestion {
  /** Host path, bytes, one a character. */
  readonly path: string;
  readonly isFolder: boolean;
  /** How many it counted so far, with this one. */
  readonly files: number;
  /** Those that git keeps. */
  readonly kept: number;
}

/** Places in the shared memory by which a question is answered, and the answers. */
export const answer = 0;
export const moreFiles = 1;
export const moreKept = 2;
export const granted = 1;
/** The command has ended: nothing more is done for it. */
export const ended = 2;
/** As `moreFiles`: nothing is asked any more. */
export const anyNumber = 0x7fffffff;

interface GateOptions {
  readonly roots: readonly string[];
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly mostBytes: KeptBytes;
}

/**
 * Counts what may be lost, an upper bound that costs little: what git keeps is counted for itself, and what programs make
 * again is not. Where the count passes what was granted, the command is held: this thread answers none of its calls until
 * the main one, which knows the rules and all that was done, has granted more.
 */
export function createGate(
  keep: Keep,
  { roots, state, mostBytes }: GateOptions,
  ask: (question: GateQuestion) => void,
): Gate {
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
    if (Atomics.compareExchange(state, answer, granted, 0) !== ended) {
      ask({ path, isFolder, files, kept });
      Atomics.wait(state, answer, 0);
    }
    if (Atomics.load(state, answer) === ended) throw new Unkept(EINTR);
  }

  /** Of git's own: what a repository cannot do without, and one object after the other. */
  function isGrave(path: string): boolean {
    const [, inside] = /(?:^|\/)\.git(?:\/(.*))?$/.exec(path) ?? [];
    if (inside === undefined || /^(HEAD|objects|refs)?$/.test(inside)) return true;
    if (/^objects\/pack\/[^/]+\.pack$/.test(inside)) return true;
    if (!/^objects\/[0-9a-f]{2}\//.test(inside)) return false;
    objects += 1;
    return objects > mostObjects && Number.isInteger(Math.log2(objects / (mostObjects + 1)));
  }

  return (path, stat, how) => {
    if (state[moreFiles] === anyNumber) return;
    if (/(^|\/)\.git(\/|$)/.test(path)) {
      // git replaces its files whole.
      if (how !== 'replaced' && (isGrave(path) || (how === 'gone' && isName.test(path))))
        hold(path, stat.isFolder);
      return;
    }
    if (stat.isFolder) return;
    const place = tops.find(({ top }) => path.startsWith(`${top}/`));
    if (!place) return;
    const inner = path.slice(place.top.length + 1);
    if (inner.split('/').some((name) => generatedFolders.has(name)) || place.isIgnored(inner, false)) return;
    const before = { size: stat.bytes, mtimeMs: stat.mtimeMs } as Stats;
    if (place.repositoryOf(inner)?.keeps(inner, before)) kept += 1;
    else files += 1;
    bytes += stat.bytes;
    // What the history will not keep is asked about whatever its number.
    if (stat.bytes > mostBytes.file || bytes > mostBytes.all) return hold(path, false);
    if (files <= (state[moreFiles] ?? 0) && files + kept <= (state[moreKept] ?? 0)) return;
    hold(path, false);
  };
}

/** Of git: a name, or the log of one. */
const isName = /\/\.git\/(.*\/)?(logs\/|refs\/(heads|tags|stash)(\/|$))/;
const mostObjects = 20;
const EINTR = 4;
