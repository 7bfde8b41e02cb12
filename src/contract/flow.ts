import type { Text } from './text/text.ts';
import type { ToolCard } from './tool/tool-card.ts';

/** Something that was read; questions to a person name it. */
export interface FlowSource {
  readonly tool: string;
  /** The address, path or query of the call. */
  readonly place: string;
  readonly atMs: number;
}

/** A part of a call whose value untrusted text may have chosen. */
export interface FlowTarget {
  /** The argument's path, `to` or `recipients.0`. */
  readonly argument: string;
  readonly value: string;
  /** The value that an approval covers: for a link, its host. */
  readonly grants: string;
  /** Undefined if it was read so long ago that only the fact is kept, or appears nowhere. */
  readonly source?: FlowSource | undefined;
  readonly line?: number | undefined;
  /**
   * `nowhere`: after untrusted text was read, an address that appears neither in the user's words nor in anything read.
   * `secret`: after a credential was read (see `source`), an address that the user did not name. `forgotten`: what the
   * session had read is no longer known.
   */
  readonly why: 'read' | 'assembled' | 'nowhere' | 'secret' | 'forgotten';
}

/** The origin of a value that a call sent, as recorded (`src/call/flow.ts`). */
export interface FlowPath {
  readonly value: string;
  readonly argument: string;
  readonly why: string;
  /** The source that contained it; undefined if that was long ago, or nothing contained it. */
  readonly from?: { readonly tool: string; readonly place: string; readonly line: number } | undefined;
}

export interface FlowFinding {
  readonly kind: FlowKind;
  readonly targets: readonly FlowTarget[];
  /** A sentence with the origin of the first target. */
  readonly because: Text;
}

export type FlowKind = 'send' | 'rights' | 'delete';

/** The properties of a tool that the rule needs. */
export type FlowTool = Pick<ToolCard, 'name' | 'annotations' | 'server' | 'inputSchema' | 'flow'>;

/** The reads and the user's words of one session. */
export interface FlowSession {
  /** Adds words of the person or the task's owner. */
  says(words: string): void;
  /** Adds the result of a call. */
  reads(read: FlowRead): void;
  /** Notes what a call of our own tools leaves for other sessions to read: files, notes, memories, tasks. */
  writes(tool: FlowTool, input: unknown): void;
  /** Returns what untrusted text would decide in this call; undefined if nothing. */
  judge(tool: FlowTool, input: unknown): FlowFinding | undefined;
  /** A person approved these targets for this tool; an approved address covers all that its server sends there. */
  agreed(tool: FlowTool, targets: readonly FlowTarget[]): void;
  /** For the log. */
  labels(): FlowLabels;
}

export interface FlowRead {
  readonly tool: FlowTool;
  readonly input: unknown;
  /** The text of each content block. */
  readonly texts: readonly string[];
  readonly structured?: unknown;
  readonly atMs: number;
}

export interface FlowLabels {
  readonly readPrivate: boolean;
  readonly readOutside: boolean;
  /** The result contained a credential. */
  readonly readKeys: boolean;
}

/** The flow sessions of one server. */
export interface FlowDesk {
  of(sessionId: string): FlowSession;
  /** The session's earlier reads are no longer known: it counts as having read everything. */
  resume(sessionId: string): void;
  /** Called when the session is over. */
  forget(sessionId: string): void;
}
