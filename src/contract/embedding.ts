/** Turns texts into vectors, at the endpoint that the operator named. */
export interface Embedder {
  /** Vectors of unit length, one per text, in order. Throws `EmbedError`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/**
 * Why there are no vectors. `texts`: the server rejects these texts, perhaps as too long; others might pass. `later`:
 * the server is down, busy, slow or broken, whatever it is asked.
 */
export class EmbedError extends Error {
  readonly kind: 'texts' | 'later';
  readonly retryAfterMs: number | undefined;
  constructor(
    kind: 'texts' | 'later',
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'EmbedError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
