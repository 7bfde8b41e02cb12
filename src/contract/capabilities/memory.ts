export interface Memory {
  readonly id: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const maxTags = 20;

export interface RecalledMemory extends Memory {
  readonly score: number;
  readonly lowConfidence: boolean;
}

export interface RecallQuery {
  readonly query: string;
  readonly limit: number;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The capability `memory`: what one user asked to be remembered. It is scoped; no argument names the user. */
export interface Memories {
  /** Stores a memory; if one with the same content exists, adds the new tags to it and returns that one. */
  remember(input: {
    readonly content: string;
    readonly category: string;
    readonly tags: readonly string[];
    /** Set by imports only; default: now. */
    readonly createdAtMs?: number | undefined;
  }): Promise<{ readonly memory: Memory; readonly duplicate: boolean }>;
  recall(query: RecallQuery): Promise<readonly RecalledMemory[]>;
  /** Undefined if the user has no such memory. */
  update(
    id: string,
    change: {
      readonly content?: string | undefined;
      readonly category?: string | undefined;
      readonly tags?: readonly string[] | undefined;
    },
  ): Promise<Memory | undefined>;
  forget(id: string): Promise<boolean>;
  /** All of them, oldest first, for export. */
  all(): AsyncIterable<Memory>;
}
