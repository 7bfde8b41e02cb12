/** A server process that serves over HTTP on a store. */
export interface NodeState {
  /** Of this process, as long as it runs. */
  readonly id: string;
  /** The machine's name. */
  readonly host: string;
  /** Where it listens: `127.0.0.1:7040`. */
  readonly address: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** It was told to stop and takes no new work. */
  readonly isDraining: boolean;
  /** Calls under way. */
  readonly calls: number;
  /** Processor time since the last look, as a share of one core. */
  readonly load: number;
  readonly residentBytes: number;
  /** The folders that it serves, as their paths on its machine. */
  readonly roots: readonly string[];
}

/** What the others see of it. */
export interface NodeView extends NodeState {
  /** `lost`: it was not heard of for as long as four beats, and did not say goodbye. */
  readonly state: 'serving' | 'draining' | 'lost';
  /** By the store's clock, so that a node's own cannot hide it. */
  readonly seenAgoMs: number;
  /** By how much its clock goes before the store's. */
  readonly clockAheadMs: number;
}

export interface NodeStore {
  beat(node: NodeState): Promise<void>;
  leave(id: string): Promise<void>;
  /** Those of the last hour, the longest serving first. */
  list(): Promise<readonly NodeView[]>;
}

/** Sessions of older clients that said that they are done, at whichever server; others have their ids, too. */
export interface EndedSessions {
  add(connectionId: string): Promise<void>;
  /** Which of these have ended. */
  among(connectionIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * Words between the servers of one store, about things that live in one process: a question that waits for its answer, a
 * session whose commands run. Whoever meets a request about such a thing elsewhere asks the server that holds it.
 */
export interface Relay {
  /** This server, as the others know it. */
  readonly node: string;
  /**
   * From now on what others ask about `key` comes to `answer`, whose signal aborts when they no longer wait. Resolves with
   * how to let go of it; `undefined` where another living server holds the key.
   */
  hold(
    key: string,
    answer: (body: string, signal: AbortSignal) => Promise<string>,
  ): Promise<(() => void) | undefined>;
  /**
   * What the server that holds the key answers; `undefined` where no living one does. Throws `unavailable` where it goes
   * away before its answer came.
   */
  ask(key: string, body: string, signal: AbortSignal): Promise<string | undefined>;
}
