import type { Text } from './text/text.ts';

/** One call as the audit log keeps it. Secrets are redacted and long values replaced before it is made. */
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
  /** `interrupted`: it had begun when its server died, and nobody knows how far it came. */
  readonly outcome: 'ok' | 'error' | 'question' | 'interrupted';
  readonly code?: string | undefined;
  /** For the log only: an inner error's words. */
  readonly cause?: string | undefined;
  readonly durationMs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly traceId?: string | undefined;
}

/** A process's notes of what it is about to do, on disk, so that the next process can tell what it had begun. */
export interface UnderWay {
  begin(...notes: readonly unknown[]): void;
  /** `count` of the noted are finished, or did not happen. */
  end(count: number): void;
  /** Bytes of the notes on disk. Finished ones stay there until none is open, or `restart`. */
  bytes(): number;
  /** Replaces all notes by these, which must be all that are open. Not while a sync is awaited. */
  restart(notes: readonly unknown[]): Promise<void>;
  /** Resolves when the notes made so far would survive a power cut too. */
  sync(): Promise<void>;
  close(): void;
}

/** Notes that a dead process left. */
export interface LeftUnderWay {
  /**
   * Parsed and not checked, as another version may have written them. A half-written last line is left out: what it
   * told of had not begun.
   */
  readonly notes: readonly unknown[];
  /** Removes them; call it when they are dealt with. */
  done(): void;
}

/** Where calls are noted before they run. */
export interface UnderWayNotes extends UnderWay {
  left(): readonly LeftUnderWay[];
  /** Bytes that are free where records are written. */
  freeBytes(): number;
}

export type CallStop = 'identify' | 'authorize' | 'limit' | 'validate' | 'approve' | 'run';

/** A row of the log as it is read back. */
export interface AuditEntry extends AuditRecord {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditQuery {
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
export interface BegunNote {
  /** Resolves when it would survive a power cut too: nothing may be changed before. */
  durable(): Promise<void>;
}

/** The chained log. `write` resolves when the record is durable; `note` batches records of calls that only read. */
export interface AuditLog {
  /**
   * Notes that a call is about to run. Where the server dies before its record is written, the next one writes this as
   * `interrupted`. Throws where no record could be written now: then nothing may run.
   */
  begin(record: AuditRecord, options: { readonly mayChange: boolean }): Promise<BegunNote>;
  write(record: AuditRecord): Promise<void>;
  /** Queues the record and resolves, at once unless too many are queued. */
  note(record: AuditRecord): Promise<void>;
  flush(): Promise<void>;
  search(query: AuditQuery): Promise<readonly AuditEntry[]>;
  verify(): Promise<AuditVerdict>;
  /** How many records wait to be written. */
  backlog(): number;
}

export type AuditVerdict =
  /** `forgotten`: how many older entries retention has removed. */
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

/** Bearer tokens: shown once when created, kept as a hash. */
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

/** What a call needs a standing approval for, and where it works. */
export interface GrantWanted {
  readonly principal: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly grant: string;
  readonly folder?: string | undefined;
}

/** A call of a plan, as the person agreed to it. */
export type PlannedCall = Omit<ApprovalRecord, 'id' | 'status' | 'scope' | 'grant'> &
  Required<Pick<ApprovalRecord, 'decidedBy' | 'planId'>>;

/** A question to a person, bound to caller, tool and the digest of the exact arguments. */
export interface ApprovalRecord {
  readonly id: string;
  readonly principal: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly digest: string;
  /** What the person reads, cleaned, in each language: who answers may read another than who asks. */
  readonly message: Text;
  readonly rule: string;
  readonly status: ApprovalStatus;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly decidedBy?: string | undefined;
  /** How far the approval reaches; absent where there is none. */
  readonly scope?: Scope | undefined;
  /**
   * What an approval beyond this call would allow, as rules whose exact text the person sees first; absent: none can
   * be given.
   */
  readonly grant?: string | undefined;
  /** Where the call works, absolute on this host: `folder` holds here and below. */
  readonly folder?: string | undefined;
  /** `person`: answered at the console or a terminal of ours alone, one call at a time. */
  readonly answer?: 'person' | undefined;
  /** Where the rule is written: `/home/me/.config/sekisho/sekisho.jsonc:12`; absent: it is built in. */
  readonly writtenAt?: string | undefined;
  /** With `until`: when the approval ends. */
  readonly untilMs?: number | undefined;
  /** When a standing approval last let a call pass, within a minute. */
  readonly lastUsedAtMs?: number | undefined;
  /** What the person who declined wrote: what to do instead. */
  readonly instead?: string | undefined;
  /** The plan that it was approved with; such an approval is its session's alone. */
  readonly planId?: string | undefined;
}

/**
 * How far an approval reaches: this call; calls like it in its session, until a time, in its folder, or without an
 * end.
 */
export type Scope = 'once' | StandingScope;
export type StandingScope = 'session' | 'until' | 'folder' | 'always';

/** What a person may add to an answer. */
export interface Wishes {
  /** With the scope `until`. */
  readonly untilMs?: number | undefined;
  /** With `declined`. */
  readonly instead?: string | undefined;
}

export interface ApprovalStore {
  /** Returns the pending or approved one with the same binding if there is one, else makes it. */
  request(
    input: Omit<ApprovalRecord, 'id' | 'status' | 'decidedBy' | 'scope'>,
    nowMs: number,
  ): Promise<ApprovalRecord>;
  /** Has a question that waits end at that moment, where it would wait longer. */
  shorten(id: string, untilMs: number): Promise<void>;
  /**
   * `undefined` where it does not exist, was decided already or has expired. An approval reaches no further than this call
   * where the question has no grant, whatever scope is given.
   */
  decide(
    id: string,
    decision: 'approved' | 'declined',
    by: string,
    scope: Scope,
    nowMs: number,
    wishes?: Wishes,
  ): Promise<ApprovalRecord | undefined>;
  /** Keeps the calls of a plan that a person approved, each as an approval of its own. */
  keepPlan(calls: readonly PlannedCall[], nowMs: number): Promise<void>;
  /** Takes an approved one for exactly this binding, once; one of a plan only for the plan's own session. */
  take(
    binding: Pick<ApprovalRecord, 'principal' | 'tool' | 'digest'> & {
      /** Absent: no plan's. */
      readonly sessionId?: string | undefined;
    },
    nowMs: number,
  ): Promise<ApprovalRecord | undefined>;
  /** A standing approval to this grant, or one to each of its rules. */
  standing(input: GrantWanted, nowMs: number): Promise<ApprovalRecord | undefined>;
  /** Those that stand, newest first. */
  grants(nowMs: number): Promise<readonly ApprovalRecord[]>;
  /** Ends a standing approval, and every other that says the same to the same caller. Says whether one stood. */
  revoke(id: string, nowMs: number): Promise<boolean>;
  get(id: string): Promise<ApprovalRecord | undefined>;
  list(status: ApprovalStatus | undefined, nowMs: number): Promise<readonly ApprovalRecord[]>;
  /** Resolves when the approval is decided, the time is over or the signal aborts; woken, not polled, in process. */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<ApprovalRecord | undefined>;
}

/** Sliding-window counters, shared by all servers on one store. */
export interface RateStore {
  /**
   * Counts one call unless `max` were made in the last `windowMs`; then nothing is counted and the time until
   * the next may be made is returned.
   */
  hit(key: string, max: number, windowMs: number, nowMs: number): Promise<{ readonly retryAfterMs: number }>;
  /** Counts one call against several limits, or against none: the time until the next for each of them. */
  hitAll(
    bounds: readonly { readonly key: string; readonly max: number }[],
    windowMs: number,
    nowMs: number,
  ): Promise<readonly number[]>;
}
