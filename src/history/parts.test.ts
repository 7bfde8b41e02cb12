import fc from 'fast-check';
import { expect, test } from 'vitest';
import { divide } from './parts.ts';

/** Folders and files by path; every path's parents are folders. */
function treeFrom(paths: readonly (readonly number[])[]) {
  const children = new Map<string, Set<string>>();
  const folders = new Set<string>(['']);
  for (const path of paths) {
    let above = '';
    for (const [at, part] of path.entries()) {
      const isLast = at === path.length - 1;
      const name = isLast ? `f${part}` : `d${part}`;
      children.set(above, (children.get(above) ?? new Set()).add(name));
      above = above === '' ? name : `${above}/${name}`;
      if (!isLast) folders.add(above);
    }
  }
  return { children, folders };
}

test('every folder is opened or lies in exactly one part', () => {
  const path = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(path, { minLength: 200, maxLength: 400 }), (paths) => {
      const { children, folders } = treeFrom(paths);
      const parts = divide(children, (each) => folders.has(each), 2, 50);
      if (!parts) return;
      for (const folder of folders) {
        const holders = parts.bins
          .flat()
          .filter((unit) => folder === unit || folder.startsWith(`${unit}/`)).length;
        expect(holders + (parts.opened.has(folder) ? 1 : 0)).toBe(1);
      }
    }),
    { seed: 11, numRuns: 50 },
  );
});

test('one large folder beside small ones is divided as well', () => {
  const paths = [
    [1, 1],
    ...Array.from({ length: 20 }, (_, at) => at).flatMap((at) =>
      Array.from({ length: 300 }, (_, file) => [2, at, file]),
    ),
  ];
  const { children, folders } = treeFrom(paths);
  const parts = divide(children, (each) => folders.has(each), 2);
  expect(parts?.opened).toEqual(new Set(['', 'd2']));
  expect(parts?.bins.map((bin) => bin.length)).toEqual([11, 10]);
});

test('a small folder is left whole', () => {
  const { children, folders } = treeFrom([[1, 1], [2]]);
  expect(divide(children, (each) => folders.has(each), 8)).toBeUndefined();
});
