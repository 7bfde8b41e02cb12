import type { WorkspaceDependencies } from './dependencies.ts';
import type { Protection } from './protected-names.ts';
import type { Root } from './walk.ts';

export interface PlaceFacts {
  readonly root: Root;
  readonly rootIndex: number;
  /** From the true root; never with `.`, `..`, an empty name or a NUL. */
  readonly components: readonly string[];
  /** How many of them belong to the folder that the place was asked of, and are not shown. */
  readonly hidden: number;
  readonly given: string;
  readonly writable: boolean;
  /** Is this the place inside `inTurn`, whose changes wait for nobody? */
  readonly isHeld?: boolean;
  /** May the caller be told of what these components name? */
  readonly isShown: (components: readonly string[]) => boolean;
  readonly dependencies: WorkspaceDependencies;
  readonly protection: Protection;
}

/** A place as the work behind it sees it: where it is, and whether it may be written. */
export interface ProvenPath {
  readonly root: Root;
  readonly components: readonly string[];
  readonly shown: string;
  readonly hostPath: string;
  readonly facts: PlaceFacts;
  /** Throws `forbidden` where this folder is lent for reading, or the name is protected. */
  assertWritable(asFolder?: boolean): void;
}
