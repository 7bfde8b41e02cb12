import type { Buffer } from 'node:buffer';

/** What work that is done here reads and writes: the same pipes as a program's. */
export interface BuiltinPorts {
  /** Absent for the first stage. */
  readonly input?: AsyncIterable<Buffer> | undefined;
  /** Resolves when the next stage has room; false when it reads no more. */
  write(chunk: string | Uint8Array): Promise<boolean>;
  /** Resolves when every earlier stage has ended; false where one failed. */
  readonly earlierEnded: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export interface BuiltinEnd {
  readonly exitCode: number;
  readonly stderr?: string | undefined;
}

export type Builtin = (ports: BuiltinPorts) => Promise<BuiltinEnd>;
