import type { Readable, Writable } from 'node:stream';
import type { StageSpawn } from '../../../contract/capabilities/pipeline.ts';
import type { CommandLine, SandboxName } from '../../../contract/capabilities/process.ts';
import type { Text } from '../../../contract/text/text.ts';
import type { ConfigCopies } from '../../git/config-copies.ts';
import type { Layer, LeftLayer } from '../../layer/open.ts';
import type { Overlay } from '../../layer/overlay.ts';
import type { Outlet } from '../../network/proxy/open.ts';
import type { ProcessLimits } from '../prelude.ts';
import type { RecordingOptions } from '../watched/recording.ts';

/** One command to start in a sandbox. All paths are host paths, already proven to lie in roots. */
export interface SpawnOptions {
  readonly command: CommandLine;
  readonly limits: ProcessLimits;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly writable: readonly string[];
  /** Not to be seen, but for what is writable in it. */
  readonly covered?: readonly string[] | undefined;
  /** It may write the caches of these roots, which last. */
  readonly caches?: boolean | undefined;
  readonly stdin: 'null' | 'pipe';
  /** A script says at its end where it is and what it exports, where the backend can take that. */
  readonly reports?: boolean | undefined;
  /**
   * The way to the hosts that the operator listed; only for a backend that takes it. Closed when the command ends. In a
   * room commands use the room's.
   */
  readonly outlet?: Outlet | undefined;
  /** What it finds in place of the settings of repositories; only for a spawner that can show copies. */
  readonly settings?: Pick<ConfigCopies, 'folder' | 'copies'> | undefined;
  /** Has what it destroys in the folders kept first; only where the backend `watches`. */
  readonly watched?: RecordingOptions | undefined;
  /** What it writes in place of folders; only for a backend that opened them. */
  readonly overlays?: readonly Overlay[] | undefined;
}

/** A child process with its pipes. */
export interface Started {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
}

/** A started command, whatever started it. */
export interface Child extends Started {
  readonly report?: Readable | undefined;
  /** Living processes of the command apart from the sandbox's own. */
  members(): number[];
  /** Ends whatever is left, the sandbox included, at once. */
  destroy(): void;
}

export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** What starts confined commands, and where they find their own files. */
export interface Spawner {
  readonly home: string;
  readonly temporary: string;
  /** Can it show a command copies that are replaced as git replaces a file? Absent: no. */
  readonly showsCopies?: (() => Promise<boolean>) | undefined;
  /** Was anything changed since that moment of what it shows and keeps beside the roots? Absent: it keeps nothing. */
  readonly changedSince?: ((ms: number) => boolean) | undefined;
  spawn(spawnOptions: SpawnOptions): Promise<Child>;
}

/** What the commands of one session share and nobody else reaches: files of their own, and a loopback. */
export interface Room extends Spawner {
  /** Its files are gone then; a command that still runs keeps them until it ends. */
  close(): Promise<void>;
}

/** A way to start confined commands, each with files of its own. */
export interface Backend extends Spawner {
  readonly name: SandboxName;
  /** Where commands find the caches that they were given. */
  readonly caches?: string | undefined;
  /** Why it can open no way to the network; undefined where it can. */
  readonly withoutOutlet?: string | undefined;
  /** Why commands make no sockets of Unix; undefined where they do. */
  readonly withoutSockets?: string | undefined;
  /** Why it cannot keep what a command destroys in the folders themselves; undefined where it can. */
  readonly withoutWatching: () => Promise<string | undefined>;
  /**
   * A layer for one command over these folders, with `caches` over those too. Rejects where none holds; absent: there
   * are none.
   */
  readonly openLayer?: ((folders: readonly string[], caches: boolean) => Promise<Layer>) | undefined;
  /** Those of servers that were killed after their commands had ended; absent: there are none. */
  readonly leftLayers?: (() => readonly LeftLayer[]) | undefined;
  /** Why no layer holds over these folders, from what was tried of them before; undefined where one does. */
  readonly whyNoLayer?: ((folders: readonly string[]) => Promise<Text | undefined>) | undefined;
  /** Rejects where commands can share nothing. The outlet serves all of them, and is closed with the room. */
  openRoom(outlet?: Outlet): Promise<Room>;
  /** Starts a bare program with the descriptors that it is given. */
  readonly spawnStage: StageSpawn;
  close(): Promise<void>;
}
