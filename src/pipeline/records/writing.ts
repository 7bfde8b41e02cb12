import { closeSync, constants, openSync } from 'node:fs';
import type { Place } from '../../contract/capabilities/files.ts';

/** Opens for writing exactly the file that the walk proved. */
export function withWriting(place: Place, work: (fd: number) => void): void {
  const reading = place.openRead();
  try {
    const fd = openSync(`/proc/self/fd/${reading}`, constants.O_RDWR);
    try {
      work(fd);
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(reading);
  }
}
