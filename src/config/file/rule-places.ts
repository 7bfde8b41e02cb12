import { findNodeAtLocation, parseTree } from 'jsonc-parser';

/** The place of each rule under `key` of a configuration file, as `FILE:LINE`, in the file's order. */
export function rulePlaces(
  path: string,
  words: string,
  key: readonly string[] = ['rules'],
): readonly string[] {
  const tree = parseTree(words, [], { allowTrailingComma: true });
  const rules = tree && findNodeAtLocation(tree, [...key]);
  let line = 1;
  let counted = 0;
  return (rules?.children ?? []).map(({ offset }) => {
    line += words.slice(counted, offset).split('\n').length - 1;
    counted = offset;
    return `${path}:${line}`;
  });
}
