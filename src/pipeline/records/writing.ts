import { closeSync, constants, openSync } from 'node:fs';
import type { Place } from '../../contract/capabilities/files.ts';
import { defer } from '../../ground/defer.ts';

/** Opens for writing exactly the file that the walk proved. */
export function withWriting(place: Place, work: (fd: number) => void): void {
  const reading = place.openRead();
  using _reading = defer(() => closeSync(reading));
  const fd = openSync(`/proc/self/fd/${reading}`, constants.O_RDWR);
  using _ = defer(() => closeSync(fd));
  work(fd);
}
