/**
 * What a landing does to one folder, in this order. Paths are bytes (`ground/byte-paths.ts`), relative to the folder.
 * Each step can be done again: a server that was killed in the middle is followed by one that does all of them once more.
 */
export type Step =
  /** Takes away what lies there, where it is still the same. */
  | { readonly do: 'remove'; readonly path: string; readonly was: string }
  /** Puts what lies on the layer in place of what lies there; `was` is absent where nothing did. */
  | { readonly do: 'move'; readonly path: string; readonly was?: string | undefined }
  /** Gives a folder the access list and the notes that it has on the layer. */
  | { readonly do: 'attributes'; readonly path: string }
  | { readonly do: 'mode'; readonly path: string; readonly mode: number }
  /** Of a folder: seconds since 1970. */
  | { readonly do: 'times'; readonly path: string; readonly accessed: number; readonly modified: number };

/** The steps of one overlay. */
export interface PlannedOverlay {
  /** Host paths. */
  readonly on: string;
  readonly upper: string;
  readonly steps: readonly Step[];
}

/** Nothing lends its owner's rights. */
export const fileModeBits = 0o777;
/** A folder's group and sticky bits lend nothing: they say whose what is made in it is, and who may remove it. */
export const folderModeBits = 0o3777;
