import { unrecordedFolders } from '../ground/generated-folders.ts';
import type { ConfigFile } from './schema.ts';

export interface HistorySettings {
  readonly enabled: boolean;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly commands: 'snapshot' | 'off';
  /** Names of folders that are not looked at before and after commands. */
  readonly ignore: readonly string[];
}

export function historyOf(section: ConfigFile['history']): HistorySettings {
  return {
    enabled: section?.enabled ?? true,
    maxBytes: section?.maxBytes ?? 1024 ** 3,
    maxAgeMs: (section?.maxAgeDays ?? 30) * 86_400_000,
    commands: section?.commands ?? 'snapshot',
    ignore: section?.ignore ?? unrecordedFolders,
  };
}
