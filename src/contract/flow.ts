import type { Text } from './text/text.ts';
import type { ToolCard } from './tool/tool-card.ts';

/** Something that was read: the question to a person names it. */
export interface FlowSource {
  readonly tool: string;
  /** What the call asked for: an address, a path, a query. */
  readonly place: string;
  readonly atMs: number;
}

/** One part of a call whose value a stranger may have chosen. */
export interface FlowTarget {
  /** The argument's path, `to` or `recipients.0`. */
  readonly argument: string;
  readonly value: string;
  /** What an approval of it holds for: of a link, its host. */
  readonly grants: string;
  /** Absent where it was read so long ago that only the fact is kept, or stands nowhere. */
  readonly source?: FlowSource | undefined;
  readonly line?: number | undefined;
  /**
   * `nowhere`: an address that neither the user nor anything that was read has, after strangers' text was read. `secret`: an
   * address that the user did not name, after a credential was read, which `source` tells.
   */
  readonly why: 'read' | 'assembled' | 'nowhere' | 'secret';
}

/** Where a value of a call stood before it was sent, as its record says (`src/call/flow.ts`). */
export interface FlowPath {
  readonly value: string;
  readonly argument: string;
  readonly why: string;
  /** What was read; absent where that was long ago, or the value stood nowhere. */
  readonly from?: { readonly tool: string; readonly place: string; readonly line: number } | undefined;
}

export interface FlowFinding {
  readonly kind: FlowKind;
  readonly targets: readonly FlowTarget[];
  /** The first target's path in a sentence. */
  readonly because: Text;
}

export type FlowKind = 'send' | 'rights' | 'delete';

/** What the rule needs of a tool. */
export type FlowTool = Pick<ToolCard, 'name' | 'annotations' | 'server' | 'inputSchema' | 'flow'>;

/** What was read and said in one session. */
export interface FlowSession {
  /** Words that a person, or the task's owner, gave. */
  says(words: string): void;
  /** What a call gave back. */
  reads(read: FlowRead): void;
  /** What a call of our own leaves where other sessions read it: files, notes, memories, tasks. */
  writes(tool: FlowTool, input: unknown): void;
  /** What a call would let a stranger decide; nothing where it lets them decide nothing. */
  judge(tool: FlowTool, input: unknown): FlowFinding | undefined;
  /** A person agreed to these targets for this tool; to an address, for whatever else its server sends there. */
  agreed(tool: FlowTool, targets: readonly FlowTarget[]): void;
  /** For the log. */
  labels(): FlowLabels;
}

export interface FlowRead {
  readonly tool: FlowTool;
  readonly input: unknown;
  /** Each block of its content. */
  readonly texts: readonly string[];
  readonly structured?: unknown;
  readonly atMs: number;
}

export interface FlowLabels {
  readonly readPrivate: boolean;
  readonly readOutside: boolean;
  /** A credential stood in what was read. */
  readonly readKeys: boolean;
}

/** The sessions of one server, as the road asks for them. */
export interface FlowDesk {
  of(sessionId: string): FlowSession;
  /** Its session is over. */
  forget(sessionId: string): void;
}
