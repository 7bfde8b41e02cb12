import { type Text, text } from '../../contract/text/text.ts';
import { createFoldedGlob, foldPath } from '../glob/rule-glob.ts';
import { obeyedLater } from './obeyed-later.ts';
import { obeyedNames } from './obeyed-names.ts';

/** Like `createObeyedBy`, for one path, including those that no tool may write: a command may have done so. */
export function createObeyedAnywhere(): (path: string) => Text | undefined {
  let rules: ReturnType<typeof compile> | undefined;
  return (path) => {
    rules ??= compile();
    const { asked, refused } = rules;
    const folded = foldPath(path);
    return (
      asked.find(({ fits }) => fits(folded))?.by ??
      (refused.some((fits) => fits(folded)) ? others : undefined)
    );
  };
}

/** Names the program that would run or follow one of these paths unasked; undefined if none does. */
export function createObeyedBy(): (paths: readonly string[]) => Text | undefined {
  let rules: ReturnType<typeof compile> | undefined;
  return (paths) => {
    if (paths.length === 0) return undefined;
    rules ??= compile();
    const { asked, refused } = rules;
    // Paths that no tool may write are refused anyway, so they are not asked about.
    const open = paths.map(foldPath).filter((path) => !refused.some((fits) => fits(path)));
    return asked.find(({ fits }) => open.some(fits))?.by;
  };
}

const others = text('git, an editor, a shell or an agent', 'git、エディター、シェル、またはエージェント');

function compile() {
  return {
    asked: obeyedLater.map(({ paths, by }) => ({ fits: createFoldedGlob(paths), by })),
    refused: obeyedNames.map((name) => createFoldedGlob(`**/${name}/**`)),
  };
}
