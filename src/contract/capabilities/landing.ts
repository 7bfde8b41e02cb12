/** What stands at a path, or will: it can be read at `entry` until whoever is told of it returns. */
export interface LandingSide {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  readonly bytes: number;
  /** The twelve bits that chmod knows. */
  readonly mode: number;
  /** What the kernel finds it by. It is no link that leads elsewhere, unless it is told as one. */
  readonly entry: string;
}

/** What becomes of one path when the effects of a command land. A side that is absent: nothing is there. */
export interface LandingChange {
  /** Host path of the root. */
  readonly root: string;
  readonly path: string;
  readonly before?: LandingSide | undefined;
  readonly after?: LandingSide | undefined;
}

/** More than this of a file's content, or of all that one command replaces, is not kept. */
export interface KeptBytes {
  readonly file: number;
  readonly all: number;
}

/** Keeps what a landing replaces. Throws where it cannot: then nothing lands. */
export interface LandingKeeper {
  /** Is nothing kept of a folder of this name? Then what is in it is not told. */
  leavesOut(folder: string): boolean;
  /** How much of what is replaced it keeps: of one file, and of all together. */
  readonly mostBytes: KeptBytes;
  /** Did the session itself make what stands at this host path (not by moving it there), or write it anew? */
  isOurs(hostPath: string, how: 'made' | 'written'): boolean;
  /** Told of each change before the first of them happens. */
  note(change: LandingChange): Promise<void>;
  /** All are told; the first change follows. What is noted now survives a kill. */
  begin(): Promise<void>;
  /** Told of a file that was changed beside the layer. */
  found(change: FoundChange): Promise<void>;
  /** It is in place; where not all of it is, each is looked at. */
  end(isWhole: boolean): Promise<void>;
  /** What the reply is to say of what is not written down. */
  notes(): readonly string[];
}

export interface FoundChange {
  readonly root: string;
  readonly path: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}
