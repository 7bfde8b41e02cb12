import type { Call, Reply } from './call.ts';
import type { CallStop } from './records.ts';
import type { Tool } from './tool/tool.ts';
import type { CallTrace } from './trace.ts';

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
