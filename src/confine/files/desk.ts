import type { ChangeObserver } from '../../contract/files.ts';
import type { Scratch } from './atomic.ts';
import type { LineIndexes } from './line-indexes.ts';
import type { Turns } from './turns.ts';

/** What the places of a workspace share: changes take turns by file, are told to the observer, leave no scrap. */
export interface Desk {
  readonly lines: LineIndexes;
  readonly turns: Turns;
  readonly observer: ChangeObserver | undefined;
  /** By host path of the root, since names are kept relative to it. */
  readonly scratchOf: (rootHostPath: string) => Scratch;
}
