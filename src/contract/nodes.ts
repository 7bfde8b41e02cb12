/** A server process that serves HTTP on a shared store. */
export interface NodeState {
  /** The id of this process while it runs. */
  readonly id: string;
  /** The machine's name. */
  readonly host: string;
  /** The address on which it listens: `127.0.0.1:7040`. */
  readonly address: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** It was told to stop and accepts no new work. */
  readonly isDraining: boolean;
  /** Running calls. */
  readonly calls: number;
  /** Processor time since the last look, as a share of one core. */
  readonly load: number;
  readonly residentBytes: number;
  /** The paths of the served folders on its machine. */
  readonly roots: readonly string[];
}

/** A server as the others see it. */
export interface NodeView extends NodeState {
  /** `lost`: no heartbeat for four intervals, and no sign-off. */
  readonly state: 'serving' | 'draining' | 'lost';
  /** By the store's clock, so that a wrong clock of the node cannot hide it. */
  readonly seenAgoMs: number;
  /** How far its clock is ahead of the store's. */
  readonly clockAheadMs: number;
}

export interface NodeStore {
  beat(node: NodeState): Promise<void>;
  leave(id: string): Promise<void>;
  /** Nodes seen in the last hour, the longest-running first. */
  list(): Promise<readonly NodeView[]>;
}

/** Sessions that older clients have ended, at any server; other servers may still know their ids. */
export interface EndedSessions {
  add(connectionId: string): Promise<void>;
  /** Which of these have ended. */
  among(connectionIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * Messages between the servers of one store about things that exist in one process: a question that waits for its
 * answer, a session whose commands run. A server that gets a request about such a thing asks the server that has it.
 */
export interface Relay {
  /** This server, as the others know it. */
  readonly node: string;
  /**
   * From now on, requests of other servers about `key` go to `answer`, whose signal aborts when they no longer wait.
   * Resolves with a function that releases the key; undefined if another live server has it.
   */
  hold(
    key: string,
    answer: (body: string, signal: AbortSignal) => Promise<string>,
  ): Promise<(() => void) | undefined>;
  /** The answer of the server that has the key; undefined if none does. Throws `unavailable` if it goes away. */
  ask(key: string, body: string, signal: AbortSignal): Promise<string | undefined>;
}
