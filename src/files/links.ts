import { isUtf8 } from 'node:buffer';
import { lstatSync, readlinkSync } from 'node:fs';
import { orElse } from '../ground/or-else.ts';

/** The kernel's own limit. */
const maxLinks = 40;

/**
 * Resolves the symbolic links in `names` inside the roots. Nothing outside is accessed: `inside` gives the real names
 * of a path in a root, and the targets of links elsewhere are not looked up, nor is a root, which is open. The result
 * is only a path; its user walks there again without following links, so swapping in a link achieves nothing.
 */
export function followLinks(
  names: readonly string[],
  inside: (
    names: readonly string[],
  ) => { readonly names: readonly string[]; readonly isRoot: boolean } | undefined,
): readonly string[] {
  const left = [...names].reverse();
  let real: string[] = [];
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') {
      real.pop();
      continue;
    }
    real.push(name);
    const there = inside(real);
    if (!there) continue;
    real = [...there.names];
    if (there.isRoot) continue;
    const target = targetOf(`/${real.join('/')}`);
    if (target === undefined) continue;
    if (++links > maxLinks) return names;
    if (target.startsWith('/')) real = [];
    else real.pop();
    left.push(
      ...target
        .split('/')
        .filter((part) => part !== '' && part !== '.')
        .reverse(),
    );
  }
  return real;
}

function targetOf(path: string): string | undefined {
  // Gone or unreadable: the walk reports which.
  return orElse(() => {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
    const target = readlinkSync(path, { encoding: 'buffer' });
    return isUtf8(target) ? target.toString() : undefined;
  }, undefined);
}
