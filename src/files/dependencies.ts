import type { ChangeObserver } from '../contract/capabilities/files.ts';
import type { Turns } from '../ground/turns.ts';
import type { CarryOver } from './attributes.ts';
import type { FolderLocks } from './changing/folder-locks.ts';
import type { Locks } from './changing/lock.ts';
import type { Scratch } from './changing/scratch.ts';
import type { LineIndexes } from './text/line-indexes.ts';

/** Shared by the places of a workspace: turns by file, the observer, and cleaning up. */
export interface WorkspaceDependencies {
  readonly lines: LineIndexes;
  readonly turns: Turns;
  /** Opened by the first change. Undefined if the machine has no locks: then only this server's calls take turns. */
  readonly locks: () => { readonly files: Locks; readonly folders: FolderLocks } | undefined;
  readonly observer: ChangeObserver | undefined;
  readonly scratch: Scratch;
  readonly carryOver: CarryOver;
}
