import type { Call, Reply } from './call.ts';
import type { CallStop } from './records.ts';
import type { Tool } from './tool/tool.ts';
import type { CallTrace } from './trace.ts';

/** Counts or traces calls. It changes nothing about them and never throws. */
export interface CallWatcher {
  begin(call: Call): CallWatch;
}

export interface CallWatch {
  /** The trace that the call belongs to; undefined if the call is not traced. */
  readonly trace?: CallTrace | undefined;
  reached(stop: WatchedStop): void;
  /** The record is written, and the reply is sent next. */
  ended(end: CallEnd): void;
}

/** The stops of a call, and the writing of the record after them. */
export type WatchedStop = CallStop | 'record';

export interface CallEnd {
  readonly reply: Reply;
  /** The last stop that it reached. */
  readonly stop: CallStop;
  /** The approver, if a person was asked. */
  readonly approver: string | undefined;
  /** Undefined if no tool has the name that was called. */
  readonly tool: Tool | undefined;
}
