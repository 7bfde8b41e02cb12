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
