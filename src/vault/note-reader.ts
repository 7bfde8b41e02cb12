import { closeSync, fstatSync } from 'node:fs';
import type { Place } from '../contract/capabilities/files.ts';
import type { NotePart, NoteReading } from '../contract/capabilities/vault.ts';
import { createTallier, type Tallier } from '../files/text/tally.ts';
import { buildSmallIndex } from './build-index.ts';
import { createKeptNotes, versionOf } from './kept-notes.ts';
import { keepNote, openNote } from './open-note.ts';
import { readPart } from './read-part.ts';

export interface NoteReader {
  read(place: Place, part: NotePart): Promise<NoteReading>;
}

/** Smaller notes are counted at each read, which costs less than being wrong about them. */
const smallNoteBytes = 256 * 1024;

/** Reads parts of notes; caches the index of large ones. */
export function createNoteReader(): NoteReader {
  const keptNotes = createKeptNotes();
  let tallier: Tallier | undefined;

  return {
    async read(place, part) {
      const fd = place.openRead();
      try {
        const stat = fstatSync(fd, { bigint: true });
        if (stat.size <= smallNoteBytes) {
          tallier ??= createTallier();
          const index = buildSmallIndex(tallier, fd, Number(stat.size));
          return readPart(openNote(fd, keepNote(index, versionOf(stat))), part);
        }
        const kept = await keptNotes.get(fd, stat, part.signal);
        return readPart(openNote(fd, kept), part);
      } finally {
        closeSync(fd);
      }
    },
  };
}
