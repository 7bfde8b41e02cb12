import type { ChangeObserver } from '../../contract/capabilities/files.ts';
import type { Turns } from '../../ground/turns.ts';
import type { CarryOver } from './attributes.ts';
import type { FolderLocks } from './changing/folder-locks.ts';
import type { Locks } from './changing/lock.ts';
import type { Scratch } from './changing/scratch.ts';
import type { LineIndexes } from './text/line-indexes.ts';

/** What the places of a workspace share: changes take turns by file, are told to the observer, leave no scrap. */
export interface WorkspaceDependencies {
  readonly lines: LineIndexes;
  readonly turns: Turns;
  /** Opened by the first change. Absent where the machine has none: then only this server's calls take turns. */
  readonly locks: () => { readonly files: Locks; readonly folders: FolderLocks } | undefined;
  readonly observer: ChangeObserver | undefined;
  readonly scratch: Scratch;
  readonly carryOver: CarryOver;
}
