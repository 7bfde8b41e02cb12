import type { NetworkContact } from '../../../contract/capabilities/process.ts';
import type { Semaphore } from '../../../ground/semaphore.ts';
import type { RunningCommand } from '../background.ts';
import type { Room, Spawner } from '../child/child.ts';
import type { CommandsOptions } from '../commands-options.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Walls } from '../sandbox/walls.ts';
import { createKept, type Kept } from './kept.ts';

/** What one session runs, and what its commands share. It ends with the session. */
export interface Session {
  readonly queue: Semaphore;
  readonly closing: AbortController;
  readonly running: Set<Promise<unknown>>;
  readonly backgrounds: Map<string, RunningCommand>;
  readonly kept: Kept;
  /** Which walls its commands met and were told of. */
  readonly toldWalls: Set<string>;
  /** Files that commands deleted or overwrote, and that nothing else keeps, since somebody last looked. */
  lost: number;
  /** Ids that were given to commands in the background. */
  started: number;
  usedAtMs: number;
  /** Where its commands run. One that shares nothing has its own place, where the walls have such. */
  place(walls: Walls, inSession: boolean): Promise<Place>;
  /** Ends what it runs; then what it shares is gone. */
  end(): Promise<void>;
}

/** What runs commands of a session. */
export interface Runner {
  readonly session: Session;
  readonly sandbox: Sandbox;
  readonly options: CommandsOptions;
}

export interface Place {
  readonly spawner: Spawner;
  /** Whom all commands there reached so far; absent where each has a way out of its own. */
  readonly contacts?: (() => readonly NetworkContact[]) | undefined;
}

export function createSession(queue: Semaphore): Session {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const backgrounds = new Map<string, RunningCommand>();
  let room: Promise<Room & Place> | undefined;

  async function openRoom({ backend, proxy }: Walls): Promise<Room & Place> {
    const outlet = proxy?.openOutlet();
    const opened = await backend.openRoom(outlet);
    return { ...opened, spawner: opened, contacts: outlet?.contacts };
  }

  return {
    queue,
    closing,
    running,
    backgrounds,
    kept: createKept(),
    toldWalls: new Set(),
    lost: 0,
    started: 0,
    usedAtMs: Date.now(),
    async place(walls, inSession) {
      const { backend } = walls;
      // Landlock's own place is one for all commands of the server.
      if (!inSession && backend.name !== 'landlock') return { spawner: backend };
      if (!(await walls.hasRooms())) return { spawner: backend };
      room ??= openRoom(walls);
      try {
        return await room;
      } catch {
        // Each command then has a room of its own; the next one tries again.
        room = undefined;
        return { spawner: backend };
      }
    },
    async end() {
      closing.abort();
      await Promise.allSettled([...running, ...[...backgrounds.values()].map((command) => command.kill())]);
      // A room that did not open needs no closing.
      await (await room?.catch(() => undefined))?.close();
    },
  };
}

export function isBusy(session: Session): boolean {
  return session.running.size > 0 || isBusyInBackground(session);
}

/** Does something run in the background? */
export function isBusyInBackground({ backgrounds }: Session): boolean {
  return backgrounds.values().some((command) => command.status().running);
}
