import { obeyedNames } from '../ground/obeyed/obeyed-names.ts';
import { foldName } from '../ground/text/fold-name.ts';

/**
 * Paths that other programs obey or that the server itself depends on: a write there would run code later or change a
 * rule. Each entry is one name or several joined by `/`, protected at any depth, with everything below.
 */
export const defaultProtectedNames: readonly string[] = ['.git', ...obeyedNames];

/**
 * Returns the protected name that a path touches, if any. `components` start at the true root. With `asFolder`, also
 * for a path above a protected one: moving a folder moves its contents.
 */
export type Protection = (components: readonly string[], asFolder?: boolean) => string | undefined;

export function createProtection(names: readonly string[]): Protection {
  // By first name, so that an ordinary component costs one look-up.
  const byFirst = new Map<string, { readonly rest: readonly string[]; readonly name: string }[]>();
  for (const name of names) {
    const [first = '', ...rest] = name.split('/').map(fold);
    byFirst.set(first, [...(byFirst.get(first) ?? []), { rest, name }]);
  }
  return (components, asFolder = false) => {
    for (let at = 0; at < components.length; at++) {
      const found = byFirst.get(fold(components[at] ?? ''))?.find(({ rest }) =>
        rest.every((name, index) => {
          const component = components[at + 1 + index];
          return component === undefined ? asFolder : fold(component) === name;
        }),
      );
      if (found) return found.name;
    }
    return undefined;
  };
}

/** Windows and its shares also drop dots and spaces at the end of a name. */
export function fold(name: string): string {
  return foldName(name.replace(/(?<![. ])[. ]+$/, ''));
}
