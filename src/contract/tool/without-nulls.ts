import { copyJson } from './copy-json.ts';

type Members = Record<PropertyKey, unknown>;

/**
 * The arguments without the nulls at these paths, or undefined if there are none. A model whose provider demands every
 * argument (OpenAI's strict mode) sends null for one that it leaves out; where null is meaningful, the schema accepts
 * it and no path names it.
 */
export function withoutNulls(input: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  const named = paths.filter((path) => path.length > 0 && valueAt(input, path) === null);
  if (named.length === 0) return undefined;
  const copy = copyJson(input);
  for (const path of named) {
    const holder = valueAt(copy, path.slice(0, -1));
    // Deleting an element would leave a hole in a list.
    if (!Array.isArray(holder)) delete (holder as Members)[path.at(-1) ?? ''];
  }
  return copy;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Members)[name];
  }
  return value;
}
