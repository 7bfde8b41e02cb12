import type { Buffer } from 'node:buffer';

/** The ports of work that is done in this process: the same pipes as a program's. */
export interface BuiltinPorts {
  /** Undefined for the first stage. */
  readonly input?: AsyncIterable<Buffer> | undefined;
  /** Resolves when the next stage has room; false if it reads no more. */
  write(chunk: string | Uint8Array): Promise<boolean>;
  /** Resolves when every earlier stage has ended; false if one failed. */
  readonly earlierEnded: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export interface BuiltinEnd {
  readonly exitCode: number;
  readonly stderr?: string | undefined;
}

export type Builtin = (ports: BuiltinPorts) => Promise<BuiltinEnd>;
