/** A person stopped all work: calls are refused until a person lets it go on. */
export interface Halt {
  readonly sinceMs: number;
  /** The person, as in the log. */
  readonly by: string;
}

/** Whether all work is stopped, for all servers that share it. It outlives each of them. */
export interface Halts {
  current(): Promise<Halt | undefined>;
  /** Stops all work, or lets it go on (undefined). */
  set(halt: Halt | undefined): Promise<void>;
  /** Calls back soon after a server stopped all work, perhaps repeatedly, until the signal aborts. */
  watch(onHalt: () => void, signal: AbortSignal): void;
}
