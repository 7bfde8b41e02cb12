export interface CallTrace {
  readonly traceId: string;
  /** Begins a request to a proxied server, made for this call. */
  request(about: { readonly method: string; readonly tool?: string; readonly server: string }): TracedRequest;
}

export interface TracedRequest {
  /** The request's `_meta` for tracing, so that the server's spans join ours. */
  readonly meta: { readonly traceparent: string; readonly tracestate?: string };
  /** `errorType` if it failed: a code, never foreign text. */
  end(errorType?: string): void;
}

/** The destination of spans, and which to send; read from the OTEL_* variables. */
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
    /** Whether the caller's own sampling decision takes precedence. */
    readonly followsParent: boolean;
  };
  /** For an endpoint with a private certificate authority, or one that asks for a certificate; PEM. */
  readonly tls: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
}
