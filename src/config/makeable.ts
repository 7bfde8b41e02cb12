import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';

/**
 * Throws where a folder would have to be made inside of `/proc`. The kernel answers there that the folder above is
 * missing, and Node's recursive `mkdir` then tries again without an end.
 */
export function assertMakeable(folder: string, key: Text): void {
  for (let above = folder; ; above = dirname(above)) {
    let type: number | undefined;
    try {
      ({ type } = statfsSync(above));
    } catch {
      // Not there, or not ours to look at: what is above it decides.
      if (above !== dirname(above)) continue;
    }
    if (type !== procfs) return;
    throw new ConfigError(
      text(
        `${key.en} ${folder} cannot be there: ${above} belongs to the kernel and contains no files.`,
        `${key.ja} ${folder} をここに置くことはできません。${above} はカーネルのもので、ファイルを置けません。`,
      ),
    );
  }
}

const procfs = 0x9fa0;
