import { join } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { FileState, NewHistoryEntry } from '../contract/capabilities/history.ts';

interface Paths {
  readonly made: Set<string>;
  readonly written: Set<string>;
}

/** Which files each session made or rewrote: it may remove them as its own. */
export function createMadeBy() {
  const sessions = new Map<string, Paths>();

  function pathsOf(sessionId: string): Paths {
    const paths = sessions.get(sessionId) ?? { made: new Set(), written: new Set() };
    // The newest at the end.
    sessions.delete(sessionId);
    sessions.set(sessionId, paths);
    const [oldest] = sessions.keys();
    if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest);
    return paths;
  }

  return {
    /**
     * Notes changes that belong together: content that one removed and another has was moved, so it counts as made by no
     * session. Yields to other work between very many; few are noted at once.
     */
    async note(entries: readonly NewHistoryEntry[]): Promise<void> {
      const [first] = entries;
      if (!first || first.sessionId === '') return;
      const { made, written } = pathsOf(first.sessionId);
      const taken = new Set<string>();
      for (const { root, path, before } of entries)
        if (before.kind === 'file' && !made.has(join(root, path))) taken.add(contentOf(before));
      for (const [at, { root, path, before, after, action }] of entries.entries()) {
        if (at % entriesAtOnce === entriesAtOnce - 1) await giveWay();
        const hostPath = join(root, path);
        if (after.kind === 'absent') {
          made.delete(hostPath);
          written.delete(hostPath);
        } else if (
          after.kind === 'file' &&
          action !== 'move' &&
          action !== 'undo' &&
          written.size < mostPaths
        ) {
          written.add(hostPath);
          if (before.kind === 'absent' && !taken.has(contentOf(after))) made.add(hostPath);
        }
      }
    },
    has: (sessionId: string, hostPath: string, how: 'made' | 'written'): boolean =>
      sessions.get(sessionId)?.[how].has(hostPath) ?? false,
  };
}

/** A file too large to be kept is identified by its size. */
function contentOf(state: FileState): string {
  return state.kind === 'file' ? (state.digest ?? String(state.bytes)) : '';
}

const entriesAtOnce = 1000;
const mostPaths = 50_000;
const mostSessions = 64;
