import type { Readable, Writable } from 'node:stream';
import type { StageSpawn } from '../../../contract/pipeline.ts';
import type { CommandLine, SandboxName } from '../../../contract/process.ts';
import type { Outlet } from '../../network/proxy/open.ts';
import type { ProcessLimits } from '../prelude.ts';

/** One command to start in a sandbox. All paths are host paths, already proven to lie in roots. */
export interface SpawnOrder {
  readonly command: CommandLine;
  readonly limits: ProcessLimits;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly writable: readonly string[];
  /** Not to be seen, but for what is writable in it. */
  readonly covered?: readonly string[] | undefined;
  readonly stdin: 'null' | 'pipe';
  /** The way to the hosts that the operator listed; only for a backend that takes it. Closed when the command ends. */
  readonly outlet?: Outlet | undefined;
}

/** A started command, whatever started it. */
export interface Child {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  /** Living processes of the command apart from the sandbox's own. */
  members(): number[];
  /** Ends whatever is left, the sandbox included, at once. */
  destroy(): void;
}

export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** A way to start confined commands. */
export interface Backend {
  readonly name: SandboxName;
  readonly home: string;
  readonly temporary: string;
  /** Why it can open no way to the network; undefined where it can. */
  readonly withoutOutlet?: string | undefined;
  spawn(order: SpawnOrder): Promise<Child>;
  /** Starts a bare program with the descriptors that it is given. */
  readonly spawnStage: StageSpawn;
  close(): Promise<void>;
}
