import type { CommandLife, CommandRecording } from '../../contract/capabilities/command-life.ts';
import type { CommandGuard } from '../../git/command-guard.ts';
import type { Semaphore } from '../../ground/waiting/semaphore.ts';
import type { Outlet } from '../../network/proxy/outlet.ts';
import type { Publisher } from '../../network/publish/publisher.ts';
import type { RunningCommand } from '../background.ts';
import type { Room, Spawner } from '../child/child.ts';
import type { CommandsOptions } from '../commands-options.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Walls } from '../sandbox/walls.ts';
import { createKept } from './kept.ts';

export type Session = ReturnType<typeof createSession>;

export interface Runner {
  readonly session: Session;
  readonly sandbox: Sandbox;
  readonly options: CommandsOptions;
  readonly git: CommandGuard;
  /** Undefined: commands run on the folders themselves, and nothing of them is kept. */
  readonly life: CommandLife | undefined;
  /** Undefined: what its commands listen on stays in the sandbox. */
  readonly publisher: Publisher | undefined;
  /** Does work that ends before the session does. */
  tracked<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the record of a command in the background when it has ended. */
  follow(command: RunningCommand, recording: Pick<CommandRecording, 'end'> | undefined): void;
  onStart(): void;
}

export interface Place {
  readonly spawner: Spawner;
  /** Shared by all commands there; undefined if each has its own. */
  readonly outlet?: Outlet | undefined;
}

/** The running commands of a session and their shared files. They end with the session. */
export function createSession(id: string, queue: Semaphore) {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const backgrounds = new Map<string, RunningCommand>();
  let room: Promise<Room & Place> | undefined;

  async function openRoom({ backend, proxy }: Walls): Promise<Room & Place> {
    const outlet = proxy?.openOutlet();
    const opened = await backend.openRoom(outlet);
    return { ...opened, spawner: opened, outlet };
  }

  return {
    queue,
    closing,
    running,
    backgrounds,
    kept: createKept(),
    /** Sandbox restrictions that its commands met and were told about. */
    toldWalls: new Set<string>(),
    /** The services (`db.example.com:5432`) that a person has let its commands connect to. */
    services: new Set<string>(),
    publishing: { id, agreed: new Set<number>() },
    /** Files that commands deleted or overwrote without another copy, since the last review. */
    lost: 0,
    /** Number of background ids given so far. */
    started: 0,
    usedAtMs: Date.now(),
    /** Starts the session's commands. A command outside the session gets its own place, if the sandbox has such. */
    async place(walls: Walls, inSession: boolean): Promise<Place> {
      const { backend } = walls;
      // Landlock without a room has one place for all commands of the server.
      if (!inSession && backend.name !== 'landlock') return { spawner: backend };
      if (!(await walls.hasRooms())) return { spawner: backend };
      room ??= openRoom(walls);
      try {
        return await room;
      } catch {
        // Each command then has its own files; the next command tries again.
        room = undefined;
        return { spawner: backend };
      }
    },
    /** Ends its commands; then its shared files are removed. */
    async end(): Promise<void> {
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

export function isBusyInBackground({ backgrounds }: Session): boolean {
  return backgrounds.values().some((command) => command.status().running);
}
