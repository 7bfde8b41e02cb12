import { type Checkpoint, openCheckpoint } from '../checkpoint.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import type { Folder } from '../contract/files.ts';

/** The folders that can have been changed, and the history of them. */
export interface OpenedHistory {
  readonly checkpoint: Checkpoint;
  readonly history: Awaited<ReturnType<Checkpoint['rooms']['history']>>;
  readonly folders: readonly Folder[];
}

/** Opens the history of the workspace that the flags name. */
export async function withHistory(
  flags: Flags,
  use: (opened: OpenedHistory) => Promise<number>,
): Promise<number> {
  const checkpoint = await openCheckpoint(loadSettings(flags));
  try {
    const { rooms } = checkpoint;
    const history = await rooms.history();
    await history.recovered();
    const { folder } = await rooms.workspace();
    // A vault elsewhere has a root of its own; where it is missing there is nothing in it to take back.
    const vault = await rooms.vault().catch(() => undefined);
    return await use({ checkpoint, history, folders: vault ? [folder, vault.folder] : [folder] });
  } finally {
    await checkpoint.close();
  }
}
