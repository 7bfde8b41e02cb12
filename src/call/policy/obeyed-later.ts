import type { Text } from '../../contract/text/text.ts';
import { obeyedLater } from '../../ground/obeyed-later.ts';
import { obeyedNames } from '../../ground/obeyed-names.ts';
import { createPathGlob } from './glob.ts';

/** Says what would run or follow what stands at one of these paths, unasked; undefined where nothing does. */
export function createObeyedBy(): (paths: readonly string[]) => Text | undefined {
  let rules: ReturnType<typeof compile> | undefined;
  return (paths) => {
    if (paths.length === 0) return undefined;
    rules ??= compile();
    const { asked, refused } = rules;
    // What no tool writes, whoever agrees, is not asked about.
    const open = paths.filter((path) => !refused.some((fits) => fits(path)));
    return asked.find(({ fits }) => open.some(fits))?.by;
  };
}

function compile() {
  return {
    asked: obeyedLater.map(({ paths, by }) => ({ fits: createPathGlob(paths), by })),
    refused: obeyedNames.map((name) => createPathGlob(`**/${name}/**`)),
  };
}
