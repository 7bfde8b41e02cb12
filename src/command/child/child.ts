import type { Readable, Writable } from 'node:stream';
import type { StageSpawn } from '../../contract/capabilities/pipeline.ts';
import type { CommandLine, Exit, SandboxName } from '../../contract/capabilities/process.ts';
import type { ConfigCopies } from '../../git/config-copies.ts';
import type { Outlet } from '../../network/proxy/outlet.ts';
import type { Inside } from '../../network/publish/serving-command.ts';
import type { Layers } from '../layer/open.ts';
import type { Overlay } from '../layer/overlay.ts';
import type { ProcessLimits } from '../prelude.ts';
import type { RecordingOptions } from '../watched/recording.ts';

/** A command to start in a sandbox. All paths are host paths that are proven to lie in roots. */
export interface SpawnOptions {
  readonly command: CommandLine;
  readonly limits: ProcessLimits;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly writable: readonly string[];
  /** Hidden folders, except the writable ones in them. */
  readonly covered?: readonly string[] | undefined;
  /** It may write the persistent caches of these roots. */
  readonly caches?: boolean | undefined;
  readonly stdin: 'null' | 'pipe';
  /** A script reports its folder and exports at the end, if the backend supports it. */
  readonly reports?: boolean | undefined;
  /** The connection to the listed hosts, if the backend supports it; the room's in a room. Closed with the command. */
  readonly outlet?: Outlet | undefined;
  /** Copies that replace the settings of repositories, if the spawner can show copies. */
  readonly settings?: Pick<ConfigCopies, 'folder' | 'copies'> | undefined;
  /** Keeps former contents before it destroys them in the folders; only if the backend `watches`. */
  readonly watched?: RecordingOptions | undefined;
  /** The layers over its folders; only for the backend that opened them. */
  readonly overlays?: readonly Overlay[] | undefined;
}

/** A child process with its pipes. */
export interface Started {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly report?: Readable | undefined;
  readonly exited: Promise<Exit>;
}

/** A started command of any backend. */
export interface Child extends Started {
  /** Its living processes, except the sandbox's own. */
  members(): number[];
  /** Opens its network for connections from outside; undefined if it has none of its own. */
  readonly openInside?: (() => Promise<Inside>) | undefined;
  /** Kills everything that is left, including the sandbox, at once. */
  destroy(): void;
}

/** Starts confined commands, and knows the paths of their own files. */
export interface Spawner {
  readonly home: string;
  readonly temporary: string;
  /** Can it show copies that git can replace by renaming? Undefined: no. */
  readonly showsCopies?: (() => Promise<boolean>) | undefined;
  /**
   * May anything outside the roots that it shows and keeps have changed since that time? Undefined: it keeps nothing.
   */
  readonly changedSince?: ((ms: number) => boolean) | undefined;
  spawn(spawnOptions: SpawnOptions): Promise<Child>;
}

/** Shared by the commands of one session only: files and a loopback of their own. */
export interface Room extends Spawner {
  /** Removes its files; a command that still runs keeps them until it ends. */
  close(): Promise<void>;
}

/** A way to start confined commands, each with its own files. */
export interface Backend extends Spawner {
  readonly name: SandboxName;
  /** The path of the caches for commands. */
  readonly caches?: string | undefined;
  /** Why it can open no connection to the network; undefined if it can. */
  readonly withoutOutlet?: string | undefined;
  /** Why commands cannot use Unix sockets; undefined if they can. */
  readonly withoutSockets?: string | undefined;
  /** Why it cannot keep contents that a command destroys in the folders themselves; undefined if it can. */
  readonly withoutWatching: () => Promise<string | undefined>;
  /** Undefined: layers are not supported. */
  readonly layers?: Layers | undefined;
  /** Rejects if commands can share nothing. The outlet serves all of them, and is closed with the room. */
  openRoom(outlet?: Outlet): Promise<Room>;
  /** Starts a single program with the given descriptors. */
  readonly spawnStage: StageSpawn;
  close(): Promise<void>;
}
