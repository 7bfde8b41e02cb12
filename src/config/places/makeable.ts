import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../contract/error.ts';
import type { Text } from '../../contract/text/text.ts';

/** Throws for a folder inside `/proc`, whose odd error makes Node's recursive `mkdir` retry endlessly. */
export function assertMakeable(folder: string, key: Text): void {
  for (let above = folder; ; above = dirname(above)) {
    let type: number | undefined;
    try {
      ({ type } = statfsSync(above));
    } catch {
      // Missing or inaccessible: check its parent.
      if (above !== dirname(above)) continue;
    }
    if (type !== procfs) return;
    throw new ConfigError(
      `${key.en} ${folder} cannot be there: ${above} belongs to the kernel and contains no files.`,
      `${key.ja} ${folder} をここに置くことはできません。${above} はカーネルのもので、ファイルを置けません。`,
    );
  }
}

const procfs = 0x9fa0;
