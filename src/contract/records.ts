import type { Text } from './text/text.ts';

/** One call in the audit log. Secrets are redacted and long values replaced before it is created. */
export interface AuditRecord {
  readonly id: string;
  readonly atMs: number;
  readonly principal: string;
  readonly sessionId: string;
  readonly transport: string;
  readonly client?: string | undefined;
  readonly tool: string;
  readonly arguments: unknown;
  /** The last stop that the call reached: identify, authorize, limit, validate, approve, run. */
  readonly stop: CallStop;
  readonly decision?: string | undefined;
  readonly rule?: string | undefined;
  readonly approver?: string | undefined;
  /** `interrupted`: it was running when its server died; how far it got is unknown. */
  readonly outcome: 'ok' | 'error' | 'question' | 'interrupted';
  readonly code?: string | undefined;
  /** For the log only: the text of an inner error. */
  readonly cause?: string | undefined;
  readonly durationMs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly traceId?: string | undefined;
}

/** A process's notes of what it is about to do, on disk, so that the next process can tell what was under way. */
export interface UnderWay {
  begin(...notes: readonly unknown[]): void;
  /** `count` of the noted actions are finished, or did not happen. */
  end(count: number): void;
  /** Bytes of the notes on disk. Finished ones stay there until none is open, or until `restart`. */
  bytes(): number;
  /** Replaces all notes by these, which must be all that are open. Not to be called during a sync. */
  restart(notes: readonly unknown[]): Promise<void>;
  /** Resolves when the notes so far would survive a power cut. */
  sync(): Promise<void>;
  close(): void;
}

export interface LeftUnderWay {
  /** Not checked, as another version may have written them. A half-written last line is left out: it had not begun. */
  readonly notes: readonly unknown[];
  /** Removes them; called when they are dealt with. */
  done(): void;
}

/** The notes of calls before they run. */
export interface UnderWayNotes extends UnderWay {
  left(): readonly LeftUnderWay[];
  /** Free bytes on the volume that contains the records. */
  freeBytes(): number;
}

export type CallStop = 'identify' | 'authorize' | 'limit' | 'validate' | 'approve' | 'run';

/** A row of the log as it is read back. */
export interface AuditEntry extends AuditRecord {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditQuery {
  readonly sessionId?: string | undefined;
  readonly tool?: string | undefined;
  readonly principal?: string | undefined;
  readonly outcome?: string | undefined;
  readonly text?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly afterSeq?: number | undefined;
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
  readonly newestFirst?: boolean | undefined;
}

/** The note that a call is about to run. */
export interface StartNote {
  /** Resolves when it would survive a power cut; nothing may be changed before. */
  durable(): Promise<void>;
}

/** The chained log. `write` resolves when the record is durable; `note` batches records of calls that only read. */
export interface AuditLog {
  /**
   * Notes that a call is about to run. If the server dies before the record is written, the next server writes this one
   * as `interrupted`. Throws if records cannot be written now: then the call must not run.
   */
  begin(record: AuditRecord, options: { readonly mayChange: boolean }): Promise<StartNote>;
  write(record: AuditRecord): Promise<void>;
  /** Queues the record and resolves, at once unless too many are queued. */
  note(record: AuditRecord): Promise<void>;
  flush(): Promise<void>;
  search(query: AuditQuery): Promise<readonly AuditEntry[]>;
  verify(): Promise<AuditVerdict>;
  /** The number of records that wait to be written. */
  backlog(): number;
}

export type AuditVerdict =
  /** `forgotten`: the number of older entries that retention removed. */
  | { readonly ok: true; readonly entries: number; readonly head: string; readonly forgotten?: number }
  | { readonly ok: false; readonly entries: number; readonly seq: number; readonly problem: Text };

export interface TokenRecord {
  readonly id: string;
  readonly user: string;
  readonly role?: string | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number | undefined;
  readonly revokedAtMs?: number | undefined;
}

/** Bearer tokens: shown once when created, stored as a hash. */
export interface TokenStore {
  create(input: {
    readonly user: string;
    readonly role?: string | undefined;
    readonly toolsets?: readonly string[] | undefined;
    readonly expiresAtMs?: number | undefined;
  }): Promise<{ readonly token: string; readonly record: TokenRecord }>;
  find(token: string, nowMs: number): Promise<TokenRecord | 'unknown' | 'expired'>;
  list(): Promise<readonly TokenRecord[]>;
  revoke(id: string): Promise<boolean>;
}

export type ApprovalStatus = 'pending' | 'approved' | 'declined' | 'used' | 'expired';

/** The call that needs a standing approval, and its folder. */
export interface GrantWanted extends Pick<ApprovalRecord, 'principal' | 'sessionId' | 'tool' | 'folder'> {
  readonly grant: string;
}

/** A call of a plan, as the person approved it. */
export type PlannedCall = Omit<ApprovalRecord, 'id' | 'status' | 'scope' | 'grant'> &
  Required<Pick<ApprovalRecord, 'decidedBy' | 'planId'>>;

/** A question in parts, for pages that fold long ones. Cleaned like its message. */
export interface QuestionParts {
  /** The command; for another call its tool and arguments. */
  readonly what: string;
  /** The calling program, by its own name. */
  readonly client?: string | undefined;
  /** The reason for asking, in one line. */
  readonly because: Text;
  /** The folder in which a command would begin, as it was named; undefined in the root. */
  readonly folder?: string | undefined;
  /** The rest of the call, one line each: arguments, variables. May be empty. */
  readonly details: Text;
  /** The effects of a command on a layer, or those that it is about to have (`isHeld`). */
  readonly effects?: QuestionEffects | undefined;
}

export interface QuestionEffects {
  readonly isHeld: boolean;
  /** By folder and kind of change, deletions first. */
  readonly folders: readonly {
    readonly folder: string;
    readonly change: 'deleted' | 'created' | 'changed';
    readonly files: number;
    /** The first of them. */
    readonly names: readonly string[];
  }[];
  /** The number of changes in other folders. */
  readonly more: number;
  /** Unified; empty if there is none. */
  readonly diff: string;
  readonly isDiffCut: boolean;
}

/** A question to a person, bound to caller, tool and the digest of the exact arguments. */
export interface ApprovalRecord {
  readonly id: string;
  readonly principal: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly digest: string;
  /** The text for the person, cleaned, in each language: theirs may differ from the caller's. */
  readonly message: Text;
  /** The same in parts; undefined in a question of an older version or of a plan. */
  readonly about?: QuestionParts | undefined;
  readonly rule: string;
  readonly status: ApprovalStatus;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly decidedBy?: string | undefined;
  /** How far the approval reaches; undefined without an approval. */
  readonly scope?: Scope | undefined;
  /** The rules that a standing approval would add, in the text that the person sees. Undefined: none can be given. */
  readonly grant?: string | undefined;
  /** The folder of the call, absolute on this host: the scope `folder` covers it and everything below. */
  readonly folder?: string | undefined;
  /** `person`: may be answered only at our console or terminal, one call at a time. */
  readonly answer?: 'person' | undefined;
  /** The source of the rule: `/home/me/.config/sekisho/sekisho.jsonc:12`. Undefined: it is built in. */
  readonly writtenAt?: string | undefined;
  /** With `until`: when the approval ends. */
  readonly untilMs?: number | undefined;
  /** When a standing approval last allowed a call, to the minute. */
  readonly lastUsedAtMs?: number | undefined;
  /** The text of the person who declined: what to do instead. */
  readonly instead?: string | undefined;
  /** The plan that it was approved with; such an approval is valid only in its session. */
  readonly planId?: string | undefined;
}

/** How far an approval reaches: this call; calls like it in its session, until a time, in its folder, or forever. */
export type Scope = 'once' | StandingScope;
export type StandingScope = 'session' | 'until' | 'folder' | 'always';

/** Additions to a person's answer. */
export interface Wishes {
  /** With the scope `until`. */
  readonly untilMs?: number | undefined;
  /** With `declined`. */
  readonly instead?: string | undefined;
}

export interface ApprovalStore {
  /** Returns the pending or approved record with the same binding if there is one, else creates it. */
  request(
    input: Omit<ApprovalRecord, 'id' | 'status' | 'decidedBy' | 'scope'>,
    nowMs: number,
  ): Promise<ApprovalRecord>;
  /** Lets an open question expire at this time if it would otherwise do so later. */
  shorten(id: string, untilMs: number): Promise<void>;
  /** Undefined if it is none, decided or expired. A question without a grant is approved for this call only. */
  decide(
    id: string,
    decision: 'approved' | 'declined',
    by: string,
    scope: Scope,
    nowMs: number,
    wishes?: Wishes,
  ): Promise<ApprovalRecord | undefined>;
  /** Stores the calls of a plan that a person approved, each as a separate approval. */
  keepPlan(calls: readonly PlannedCall[], nowMs: number): Promise<void>;
  /** Takes an approved record for exactly this binding, once; one of a plan only in the plan's session. */
  take(
    binding: Pick<ApprovalRecord, 'principal' | 'tool' | 'digest'> & {
      /** Undefined: ignore approvals of plans. */
      readonly sessionId?: string | undefined;
    },
    nowMs: number,
  ): Promise<ApprovalRecord | undefined>;
  /** A standing approval of this grant, or of each of its rules. */
  standing(input: GrantWanted, nowMs: number): Promise<ApprovalRecord | undefined>;
  /** Active ones, newest first. */
  grants(nowMs: number): Promise<readonly ApprovalRecord[]>;
  /** Ends a standing approval, and every equal one of the same caller. Returns whether one was active. */
  revoke(id: string, nowMs: number): Promise<boolean>;
  get(id: string): Promise<ApprovalRecord | undefined>;
  list(status: ApprovalStatus | undefined, nowMs: number): Promise<readonly ApprovalRecord[]>;
  /** Resolves when the approval is decided, on timeout, or when the signal aborts; woken, not polled, in process. */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<ApprovalRecord | undefined>;
}

/** Sliding-window counters, shared by all servers on one store. */
export interface RateStore {
  /** Counts one call unless `max` were made in the last `windowMs`; else returns the time until the next is allowed. */
  hit(key: string, max: number, windowMs: number, nowMs: number): Promise<{ readonly retryAfterMs: number }>;
  /** Counts one call against all limits or, if one is exceeded, none; returns the time until the next call for each. */
  hitAll(
    bounds: readonly { readonly key: string; readonly max: number }[],
    windowMs: number,
    nowMs: number,
  ): Promise<readonly number[]>;
  /**
   * Adds amounts to counters that run on, unless a bound is passed: then nothing is added, and the key of the first such
   * bound is returned. A counter that this call adds to may reach its bound; another one must be below it.
   */
  count(
    adding: readonly { readonly key: string; readonly amount: number }[],
    bounds: readonly { readonly key: string; readonly max: number }[],
    nowMs: number,
  ): Promise<string | undefined>;
}
