import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Place } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

export interface NoteWatch {
  /** Calls back after each change of the note, including removal, until the returned function is called. */
  watch(place: Place, changed: () => void): () => void;
  close(): void;
}

const maxWatched = 256;

export function createNoteWatch(): NoteWatch {
  const open = new Set<FSWatcher>();
  return {
    watch(place, changed) {
      if (open.size >= maxWatched)
        throw new ToolError(
          'unavailable',
          `${maxWatched} notes are being watched already.`,
          `既に ${maxWatched} 個のノートを監視しています。`,
          text('End a subscription first.', '先に購読を 1 つ終えてください。'),
        );
      const name = basename(place.hostPath);
      let seen = fingerprint(place);
      // Watches the folder, not the file: a whole write gives the name to a new file, which would not be watched.
      const watcher = watchFolder(dirname(place.hostPath), (changedName) => {
        if (changedName !== null && changedName !== name) return;
        const now = fingerprint(place);
        if (now === seen) return;
        seen = now;
        changed();
      });
      const stop = () => {
        open.delete(watcher);
        watcher.close();
      };
      watcher.on('error', stop);
      open.add(watcher);
      return stop;
    },
    close() {
      for (const watcher of open) watcher.close();
      open.clear();
    },
  };
}

function watchFolder(path: string, changed: (name: string | null) => void): FSWatcher {
  try {
    return watch(path, { persistent: false }, (_event, name) => changed(name));
  } catch (cause) {
    throw new ToolError(
      'unavailable',
      'This machine cannot watch more files.',
      'このマシンではこれ以上ファイルを監視できません。',
      { cause },
    );
  }
}

function fingerprint(place: Place): string {
  try {
    const { kind, inode, bytes, modifiedNs, changedNs } = place.stat();
    return [kind, inode, bytes, modifiedNs, changedNs].join(' ');
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}
