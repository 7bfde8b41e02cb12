import type { Child, Spawner } from '../child/child.ts';
import { waitForEnd } from '../child/run-child.ts';
import { defaultProcessLimits } from '../prelude.ts';

/**
 * Shrinks a cache to its limit. Runs in the sandbox of a command: commands may put links in the way of a removal, and
 * there these lead nowhere. Undefined if it cannot be started.
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
    // No command waits for it, and the next sweep tries again.
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

// Half a cache breaks builds, so each cache goes as a whole, and is renamed before it is deleted: stopping the script
// does no harm. Caches not written for a week go first, then for a day, then for an hour, then the rest.
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
