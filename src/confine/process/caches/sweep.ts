import type { Child, Spawner } from '../child/child.ts';
import { waitForEnd } from '../child/run-child.ts';
import { defaultProcessLimits } from '../prelude.ts';

/**
 * Brings a cache back under its bound. It runs behind the walls of a command: whoever writes there may put links in the
 * way of a removal, which then lead nowhere. Undefined where it cannot be started.
 */
export async function startSweep(
  spawner: Spawner,
  { place, maxBytes, root }: { readonly place: string; readonly maxBytes: number; readonly root: string },
): Promise<{ readonly ended: Promise<void>; stop(): void } | undefined> {
  const child = await spawner
    .spawn({
      command: {
        kind: 'program',
        program: '/bin/sh',
        args: ['-c', script, 'sh', place, String(Math.floor(maxBytes / 1024))],
      },
      limits: defaultProcessLimits,
      workingFolder: root,
      environment: { PATH: '/usr/bin:/bin' },
      writable: [],
      caches: true,
      stdin: 'null',
    })
    // No command waits for it, and the next look comes.
    .catch(() => undefined);
  return child && { ended: ending(child), stop: () => child.destroy() };
}

async function ending(child: Child): Promise<void> {
  child.stdout.resume();
  child.stderr.resume();
  const signal = new AbortController().signal;
  await waitForEnd(child, {
    timeoutMs: 10 * 60_000,
    signal,
    most: { ...defaultProcessLimits, processes: 64 },
  });
}

// Half a cache breaks builds, so each goes as a whole, and out of sight before it is taken apart: stopping this harms
// nothing. What was not written for a week goes first, then for a day, then for an hour, then the rest.
const script = `
cd "$1" || exit 1
fits() { [ "$(du -skx . 2>/dev/null | cut -f 1)" -le "$2" ]; }
drop() { chmod -R u+w "$1"; rm -rf "$1"; }
for gone in ./.gone.*; do drop "$gone"; done
fits "$@" && exit
for minutes in 10080 1440 60 0; do
  for name in ./* ./.[!.]*; do
    [ -e "$name" ] || [ -L "$name" ] || continue
    [ "$minutes" = 0 ] || [ -z "$(find "$name" -xdev -mmin "-$minutes" | head -n 1)" ] || continue
    mv "$name" "./.gone.$$" && drop "./.gone.$$"
    fits "$@" && exit
  done
done
`;
