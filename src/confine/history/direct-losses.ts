import { join } from 'node:path';
import type { FileState } from '../../contract/capabilities/history.ts';
import { counted } from '../../ground/counted.ts';
import type { NewChange } from './recorder.ts';

/** How many files that were there a command took away or emptied, beside those that `isOurs`, and that it only moved. */
export function countLost(changes: readonly NewChange[], isOurs: (hostPath: string) => boolean): number {
  const kept = new Set(changes.map(({ after }) => contentOf(after)));
  return changes.filter(
    ({ root, path, before, after }) =>
      before.kind === 'file' &&
      before.bytes > emptyBytes &&
      (after.kind !== 'file' || after.bytes <= emptyBytes) &&
      (before.digest === undefined || !kept.has(before.digest)) &&
      !isOurs(join(root, path)),
  ).length;
}

/** What the reply of a command says that nobody could be asked about before: it ran on the folders themselves. */
export function lossNotes(files: number): readonly string[] {
  if (files <= mostLost) return [];
  return [
    `[history: it ran on the folders themselves and deleted or emptied ${counted(files, 'file')} there; sekisho undo brings back what history could keep of them]\n`,
  ];
}

function contentOf(state: FileState): string | undefined {
  return state.kind === 'file' ? state.digest : undefined;
}

/** A line's end alone is no content. */
const emptyBytes = 1;
/** As many as land without a question. */
const mostLost = 20;
