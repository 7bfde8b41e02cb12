/** The trace that a call belongs to. */
export interface CallTrace {
  readonly traceId: string;
  /** A request to a server behind this one, made for this call. */
  request(about: { readonly method: string; readonly tool?: string; readonly server: string }): TracedRequest;
}

export interface TracedRequest {
  /** What the request carries in its `_meta`, so that the server's spans join ours. */
  readonly meta: { readonly traceparent: string; readonly tracestate?: string };
  /** `errorType` where it failed: a code, never a stranger's words. */
  end(errorType?: string): void;
}

/** Where spans go, and which; read from the OTEL_* variables. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly encoding: 'protobuf' | 'json';
  readonly compression: 'none' | 'gzip';
  readonly sampler: {
    readonly root: 'always_on' | 'always_off' | 'traceidratio';
    /** For `traceidratio`: the share of traces, 0 to 1. */
    readonly ratio: number;
    /** Does the caller's own decision go before? */
    readonly followsParent: boolean;
  };
  /** For an endpoint behind a private authority, or one that asks for a certificate; PEM. */
  readonly tls: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
}
