import type { ChangeObserver } from '../../contract/files.ts';
import type { Scratch } from './atomic.ts';
import type { Turns } from './turns.ts';

/** What every change goes through: one at a time per file, told to the observer, its scratch name remembered. */
export interface ChangeDesk {
  readonly turns: Turns;
  readonly observer: ChangeObserver | undefined;
  /** By host path of the root, since names are kept relative to it. */
  readonly scratchOf: (rootHostPath: string) => Scratch;
}
