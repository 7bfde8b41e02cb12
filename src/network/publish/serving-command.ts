import type { Ask } from '../edge/gate.ts';
import type { Diagnose } from './diagnosis.ts';

/** The network of a command, as the server reaches it. */
export interface Inside {
  /** Reports its sockets. */
  readonly inner: Diagnose;
  /** Reports those of this machine's network. */
  readonly outer: Diagnose;
  /** Takes a socket of it that is not connected, as a descriptor. Throws if there is none of this family. */
  draw(family: 4 | 6): Promise<number>;
  close(): void;
}

export interface PublishOptions {
  /** The ports that may be published: the first and the last of each range. */
  readonly ports: readonly (readonly [number, number])[];
  /** Ports of this machine that are never taken, as browsers know them for something else. */
  readonly reserved: readonly number[];
}

/** A session, as its publications need it. */
export interface PublishingSession {
  readonly id: string;
  /** The ports that a person has agreed to. */
  readonly agreed: Set<number>;
}

/** A running command whose listeners appear on this machine's loopback. */
export interface ServingCommand {
  readonly session: PublishingSession;
  readonly words: string;
  /** Rejects if it has no network of its own. */
  open(): Promise<Inside>;
  /** The inodes of the sockets that its processes hold. */
  sockets(): ReadonlySet<number>;
  readonly ask: Ask;
  readonly ended: AbortSignal;
}
