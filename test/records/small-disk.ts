import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export interface SmallDisk {
  /** Takes all of its room. */
  fill(): void;
  free(): void;
}

/** Puts a disk of this size at the folder while it is used. */
export async function onSmallDisk(
  folder: string,
  use: (disk: SmallDisk) => Promise<void>,
  megabytes = 3,
): Promise<void> {
  const filler = join(folder, 'filler');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]);
  try {
    await use({
      fill: () => expect(() => writeFileSync(filler, Buffer.alloc(4_000_000))).toThrow('ENOSPC'),
      free: () => rmSync(filler),
    });
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
}
