import type { Folder } from './files.ts';

/** The capability `vault`: the folder of notes and its settings. Its rules live in the toolset. */
export interface Vault {
  readonly folder: Folder;
  readonly settings: VaultSettings;
}

export interface VaultSettings {
  readonly hardMaxChars: number;
  readonly defaultChunkLines: number;
  readonly maxChunkLines: number;
  readonly extras: boolean;
}
