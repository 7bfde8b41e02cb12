import type { Attribution } from './history.ts';

/** The state of a path before or after landing. `entry` is readable until the function that receives it returns. */
export interface LandingSide {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  readonly bytes: number;
  /** The twelve permission bits of chmod. */
  readonly mode: number;
  /** A path for opening it. It never leads elsewhere through a link, unless `kind` says that it is one. */
  readonly entry: string;
}

/** The change of one path when the effects of a command land. An undefined side: nothing is there. */
export interface LandingChange {
  /** Host path of the root. */
  readonly root: string;
  readonly path: string;
  readonly before?: LandingSide | undefined;
  readonly after?: LandingSide | undefined;
}

/** The most that is kept of one file's content, and of all that one command replaces. */
export interface KeptBytes {
  readonly file: number;
  readonly all: number;
}

/** Keeps what a landing replaces. If it throws, nothing lands. */
export interface LandingKeeper {
  /** Whose call it is. */
  readonly who: Attribution;
  /** Whether nothing is kept of a folder with this name. Then its contents are not reported. */
  leavesOut(folder: string): boolean;
  /** How much it keeps of one file, and in total. */
  readonly mostBytes: KeptBytes;
  /** Whether the session itself created this host path (not by moving), or rewrote it. */
  isOurs(hostPath: string, how: 'made' | 'written'): boolean;
  /** Called for each change before the first of them happens. */
  note(change: LandingChange): Promise<void>;
  /** Called before the first change, after all were noted. From then on the notes survive a kill. */
  begin(): Promise<void>;
  /** Called for a file that was changed outside the layer. */
  found(change: FoundChange): Promise<void>;
  /** Called when the landing is over; if it is incomplete, each path is checked. */
  end(isWhole: boolean): Promise<void>;
  /** Sentences for the reply about what was not kept. */
  notes(): readonly string[];
}

export interface FoundChange {
  readonly root: string;
  readonly path: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}
