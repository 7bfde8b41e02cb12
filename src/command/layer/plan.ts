import * as z from 'zod';

/**
 * A step of a landing in one folder. Paths are bytes (`ground/machine/byte-paths.ts`), relative to the folder. Each step
 * can be repeated: after a kill, the next server does all of them once more.
 */
export const step = z.discriminatedUnion('do', [
  /** Removes the entry if it is still the same. */
  z.object({ do: z.literal('remove'), path: z.string(), was: z.string() }),
  /** Moves the layer's entry there; `was` is absent if nothing is replaced. */
  z.object({ do: z.literal('move'), path: z.string(), was: z.string().optional() }),
  /** Gives a folder its access list and extended attributes from the layer. */
  z.object({ do: z.literal('attributes'), path: z.string() }),
  z.object({ do: z.literal('mode'), path: z.string(), mode: z.number() }),
  /** Of a folder; seconds since 1970. */
  z.object({ do: z.literal('times'), path: z.string(), accessed: z.number(), modified: z.number() }),
]);

export type Step = Readonly<z.output<typeof step>>;

export interface PlannedOverlay {
  /** Host paths. */
  readonly on: string;
  readonly upper: string;
  /** In this order. */
  readonly steps: readonly Step[];
}

/** Without setuid and setgid: a file must not lend its owner's rights. A sticky bit lends none. */
export const fileModeBits = 0o1777;
/** A folder's setgid and sticky bits lend no rights: they set the group of new entries, and who may remove them. */
export const folderModeBits = 0o3777;
