/**
 * The steps of a landing in one folder, in this order. Paths are bytes (`ground/byte-paths.ts`), relative to the
 * folder. Each step can be repeated: after a kill, the next server does all of them once more.
 */
export type Step =
  /** Removes the entry if it is still the same. */
  | { readonly do: 'remove'; readonly path: string; readonly was: string }
  /** Moves the layer's entry there; `was` is absent if nothing is replaced. */
  | { readonly do: 'move'; readonly path: string; readonly was?: string | undefined }
  /** Gives a folder its access list and extended attributes from the layer. */
  | { readonly do: 'attributes'; readonly path: string }
  | { readonly do: 'mode'; readonly path: string; readonly mode: number }
  /** Of a folder; seconds since 1970. */
  | { readonly do: 'times'; readonly path: string; readonly accessed: number; readonly modified: number };

export interface PlannedOverlay {
  /** Host paths. */
  readonly on: string;
  readonly upper: string;
  readonly steps: readonly Step[];
}

/** Without setuid and setgid: a file must not lend its owner's rights. A sticky bit lends none. */
export const fileModeBits = 0o1777;
/** A folder's setgid and sticky bits lend no rights: they set the group of new entries, and who may remove them. */
export const folderModeBits = 0o3777;
