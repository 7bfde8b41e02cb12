import { fromText } from '../../../ground/byte-paths.ts';
import type { Overlay } from '../overlay.ts';
import { lowerPath, type Touched, upperPath } from './collect.ts';
import { openObjects } from './git-objects.ts';
import { isOverwritten } from './overwritten.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Repositories, by the path of their `.git`, that a command deleted, or of which it deleted or overwrote what only git has:
 * their head, a pack with no other in its place, many objects. What git itself does when it packs and prunes is none of
 * these. `isOurs`: was it made by the session itself?
 */
export function brokenRepositories(
  touched: readonly Touched[],
  overlay: Overlay,
  isOurs: (path: string) => boolean,
): readonly string[] {
  const byRepository = new Map<string, Touched[]>();
  for (const each of touched) {
    const [, path] = /^((?:.*?\/)?\.git)(?:\/|$)/.exec(each.path) ?? [];
    if (path === undefined) continue;
    const changes = byRepository.get(path) ?? [];
    changes.push(each);
    byRepository.set(path, changes);
  }
  return [...byRepository]
    .filter(([path, changes]) => isBroken(path, changes, overlay) && !isOurs(`${path}/HEAD`))
    .map(([path]) => path);
}

function isBroken(path: string, changes: readonly Touched[], overlay: Overlay): boolean {
  const at = (name: string) => changes.find((change) => change.path === `${path}/${name}`);
  const head = at('HEAD');
  if (head?.before && !isHead(head)) return true;
  if (['objects', 'refs'].some((name) => isGone(at(name)))) return true;
  const packs = changes.filter((change) => /\/objects\/pack\/[^/]+\.pack$/.test(change.path));
  const loose = changes.filter((change) => looseObject.test(change.path));
  // git writes none of its objects twice.
  if ([...packs, ...loose].some(isSpoilt)) return true;
  if (packs.some(({ before }) => !before)) return false;
  if (packs.some(isGone)) return true;
  const gone = loose.filter((object) => isGone(object) && !isOld(object));
  if (gone.length <= mostPruned) return false;
  const left = openObjects(
    [overlay.upper, overlay.on].map((folder) => `${fromText(folder)}/${path}/objects`),
  );
  return gone.filter((object) => !left.has(idOf(object))).length > mostPruned;
}

function isGone(change: Touched | undefined): boolean {
  return change !== undefined && change.now === undefined;
}

/** As git writes it. */
function isHead(head: Touched): boolean {
  return (
    head.now !== undefined &&
    /^(ref: |[0-9a-f]{40})/.test(readBounded(upperPath(head), 4096, false)?.toString('latin1') ?? '')
  );
}

function isSpoilt({ before, now, ...object }: Touched): boolean {
  return (
    before !== undefined &&
    now !== undefined &&
    (before.size !== now.size || isOverwritten(lowerPath(object), before, upperPath(object), now))
  );
}

/** git prunes what nothing leads to, when it has lain for two weeks (git-gc(1)). */
function isOld({ before }: Touched): boolean {
  return before !== undefined && before.mtimeMs < Date.now() - 13 * 24 * 60 * 60_000;
}

function idOf({ path }: Touched): string {
  const [, first = '', rest = ''] = looseObject.exec(path) ?? [];
  return first + rest;
}

const looseObject = /\/objects\/([0-9a-f]{2})\/([0-9a-f]{38,62})$/;
const mostPruned = 20;
