import type { Call, Reply } from './call.ts';
import type { CallStop } from './records.ts';
import type { Tool } from './tool.ts';

/** Counts or traces calls on the road. It changes nothing of them, and never throws. */
export interface CallWatcher {
  begin(call: Call): CallWatch;
}

/** One call while it is watched. */
export interface CallWatch {
  /** Whose spans the call becomes; absent where it is not traced. */
  readonly trace?: CallTrace | undefined;
  reached(stop: WatchedStop): void;
  /** The record is written, and the reply leaves. */
  ended(end: CallEnd): void;
}

/** The stops of the road, and the writing of the record behind them. */
export type WatchedStop = CallStop | 'record';

export interface CallEnd {
  readonly reply: Reply;
  /** The last that it reached. */
  readonly stop: CallStop;
  /** Who agreed, where a person was asked. */
  readonly approver: string | undefined;
  /** Absent where nothing is served under the name that was called. */
  readonly tool: Tool | undefined;
}

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
