import { type Checkpoint, openCheckpoint } from '../checkpoint/open.ts';
import { openHistoryOf } from '../checkpoint/undo.ts';
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
    return await use({ checkpoint, ...(await openHistoryOf(checkpoint)) });
  } finally {
    await checkpoint.close();
  }
}
