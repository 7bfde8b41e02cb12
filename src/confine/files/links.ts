import { isUtf8 } from 'node:buffer';
import { lstatSync, readlinkSync } from 'node:fs';

/** As many as the kernel follows. */
const maxLinks = 40;

/**
 * The names that `names` stands for once the symbolic links inside of the roots are followed. Nothing outside is
 * looked at: `inside` gives the real names of what lies in a root, and what a link elsewhere would lead to is not
 * asked; nor is it of a root, which is held open. The answer is words alone; whoever uses it walks there anew and
 * follows nothing, so a link that is swapped in meanwhile wins nothing.
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
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
    const target = readlinkSync(path, { encoding: 'buffer' });
    return isUtf8(target) ? target.toString() : undefined;
  } catch {
    // Gone, or not ours to read: the walk says which.
    return undefined;
  }
}
