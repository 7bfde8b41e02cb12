import type { ChangeObserver } from '../contract/capabilities/files.ts';
import type { Turns } from '../ground/waiting/turns.ts';
import type { CarryOver } from './attributes.ts';
import type { FolderLocks } from './changing/folder-locks.ts';
import type { Locks } from './changing/lock.ts';
import type { Scratch } from './changing/scratch.ts';
import type { Protection } from './protected-names.ts';
import type { LineIndexes } from './text/line-indexes.ts';
import type { Root } from './walk.ts';

export interface PlaceFacts {
  readonly root: Root;
  readonly rootIndex: number;
  /** From the true root; never with `.`, `..`, an empty name or a NUL. */
  readonly components: readonly string[];
  /** How many of them lead to the folder that created the place, and are not shown. */
  readonly hidden: number;
  readonly given: string;
  readonly writable: boolean;
  /** Whether this is the place inside `inTurn`, whose changes need not wait. */
  readonly isHeld?: boolean;
  /** Whether the caller may know of the path with these components. */
  readonly isShown: (components: readonly string[]) => boolean;
  readonly dependencies: WorkspaceDependencies;
  readonly protection: Protection;
}

/** A place for the code behind it: where it is, and whether it may be written. */
export interface ProvenPath {
  readonly root: Root;
  readonly components: readonly string[];
  readonly shown: string;
  readonly hostPath: string;
  readonly facts: PlaceFacts;
  /** Throws `forbidden` if the folder is read-only, or the name is protected. */
  assertWritable(asFolder?: boolean): void;
}

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
