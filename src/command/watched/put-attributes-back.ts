import { closeSync, constants, openSync } from 'node:fs';
import { openPath } from '../../files/walk.ts';
import { asBytes } from '../../ground/machine/byte-paths.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { readFormers } from '../journal/journal.ts';
import { inFolder } from '../journal/put-back.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { createFileCalls } from './file-calls.ts';

/** Gives files and folders the extended attributes back that they had before a command first changed them. */
export async function putAttributesBack(folder: string, roots: readonly string[]): Promise<void> {
  const files = createFileCalls(await openKernel());
  for (const { path, attributes } of readFormers(folder).values()) {
    if (!attributes) continue;
    inFolder(path, roots, (entry) => {
      const fd = openSync(asBytes(entry), openPath | constants.O_NOFOLLOW);
      using _ = defer(() => closeSync(fd));
      const now = files.attributesOf(fd);
      const bytes = (text: string) => Buffer.from(text, 'latin1');
      for (const name of Object.keys(now))
        if (!(name in attributes)) files.alter(fd, { kind: 'attribute', name: bytes(name) });
      for (const [name, value] of Object.entries(attributes))
        if (now[name] !== value)
          files.alter(fd, { kind: 'attribute', name: bytes(name), value: bytes(value) });
    });
  }
}
