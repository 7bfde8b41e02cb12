import { readFileSync } from 'node:fs';
import { text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';

/** Whether this process is root on the machine itself: in a user namespace, uid 0 can stand for another user. */
export function isRoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  return orElse(
    () =>
      readFileSync('/proc/self/uid_map', 'utf8')
        .split('\n')
        .some((line) => /^\s*0\s+0\s/.test(line)),
    true,
  );
}

export const asRoot = text(
  'Sekisho runs as root, and so does everything that it starts; only the sandbox keeps that from the machine. Start it as an ordinary user',
  'Sekisho が root で動いており、そこから起動するものもすべて root で動きます。マシンを守るのはサンドボックスだけです。一般ユーザーで起動してください',
);
