import type { UndoSelection, UndoStep } from './capabilities/history.ts';
import type { Memory } from './capabilities/memory.ts';
import type { NoticeRecord, PushDevice } from './notice.ts';
import type { Passkey } from './passkey.ts';
import type { Person } from './person.ts';
import type { ApprovalRecord, Scope, StandingScope, TokenStore, Wishes } from './records.ts';
import type { Digest, SessionStory, StandingGrant } from './story.ts';
import type { TeamAdmin } from './team/admin.ts';
import type { HeldTool, LoginOptions } from './upstream.ts';

/**
 * Everything that a person does to this program. Each act asks one predicate whether they may, and leaves exactly one
 * entry in the audit log, refused and failed ones too, which is durable when the act returns. Who may not is refused with
 * `forbidden`.
 */
export interface Acts {
  /** Answers a question. `gone`: there is none, or it was answered or expired meanwhile. */
  answer(id: string, answer: Answer): Promise<Answered>;
  /** The same answer to each of several: every one is bound to its own call and leaves its own entry. */
  answerAll(ids: readonly string[], answer: Answer): Promise<readonly Answered[]>;
  /** Takes a standing approval back; false where none stood. */
  revokeGrant(id: string): Promise<boolean>;
  createToken(token: Parameters<TokenStore['create']>[0]): ReturnType<TokenStore['create']>;
  /** False where no such token is active. */
  revokeToken(id: string): Promise<boolean>;
  /** Approves a proxied server's tools as they were reviewed (`digest`); false where they have changed since. */
  approveServer(name: string, digest: string): Promise<boolean>;
  forgetServer(name: string): Promise<void>;
  logInServer(name: string, options: LoginOptions): Promise<void>;
  logOutServer(name: string): Promise<'revoked' | 'forgotten' | 'none'>;
  undo(selection: UndoSelection, options?: UndoWishes): Promise<Undone>;
  importMemories(owner: string, lines: MemoryLines): Promise<ImportedMemories>;
  /** `undefined` where there is no such memory. Throws `conflict` where another says the same. */
  changeMemory(owner: string, id: string, change: MemoryChange): Promise<Memory | undefined>;
  forgetMemory(owner: string, id: string): Promise<boolean>;
  /** Records that the person has logged in to the console from this address. */
  entered(address: string | undefined): Promise<void>;
  /** Sends a test notice; undefined where there is no such channel. */
  testNotice(channel: string): Promise<NoticeRecord | undefined>;
  /** Subscribes this browser to notices of questions. */
  addDevice(device: Omit<PushDevice, 'id' | 'person'>): Promise<PushDevice>;
  removeDevice(id: string): Promise<boolean>;
  /** False where it is registered already. */
  addPasskey(passkey: Omit<Passkey, 'createdAtMs' | 'usedAtMs'>): Promise<boolean>;
  removePasskey(id: string): Promise<boolean>;
  /** What changes agents, projects and tasks. */
  readonly team: TeamChanges;
}

/** Acts by person, and what the faces ask before they show a button. */
export interface Operator {
  as(person: Person): Acts;
  mayAnswer(person: Person, record: ApprovalRecord): 'yes' | 'forbidden' | 'own';
  /**
   * By the question's id, the standing approvals that may answer it, the narrowest first; none for what only a person
   * answers.
   */
  offers(records: readonly ApprovalRecord[]): Promise<GrantOffers>;
  /** The standing approvals. */
  grants(): Promise<readonly StandingGrant[]>;
  /** What a session did, from its first call to its last; undefined where it made none lately. */
  story(sessionId: string): Promise<SessionStory | undefined>;
  /** What happened since then, in all sessions. */
  digest(sinceMs: number): Promise<Digest>;
  /** Whose memories the person may read and change: an operator's choice, everybody else their own. */
  memoryOwner(person: Person, wanted: string | undefined): string | undefined;
  /** The changes of a proxied server's tools that wait for a person's review. */
  review(name: string): Promise<ServerReview | undefined>;
}

export interface Answer extends Wishes {
  readonly decision: 'approved' | 'declined';
  readonly scope: Scope;
}

/** A standing approval that could be given. */
export interface GrantOffer {
  readonly scope: StandingScope;
  /** With `until`: an hour from now. */
  readonly untilMs?: number | undefined;
  /** The rules as they would be written. */
  readonly rule: string;
  /** Which of the newest calls it would have let pass. */
  readonly covered: Covered;
}

export type GrantOffers = ReadonlyMap<string, readonly GrantOffer[]>;

/** Which calls that a person was asked about a standing approval would have answered. */
export interface Covered {
  /** How many calls were looked at. */
  readonly of: number;
  readonly calls: number;
  /** Some of them, no two alike: the command, or tool and arguments. */
  readonly among: readonly string[];
}

/** Questions that wait at once and are alike: the same caller, session, tool and rule. */
export interface QuestionGroup {
  /** Of exactly these questions: a group with one more or less has another id. */
  readonly id: string;
  readonly records: readonly ApprovalRecord[];
}

export type Answered =
  /** `isTaken`: a call that waited went on with it; otherwise it is kept for the same call sent again. */
  | { readonly outcome: 'answered'; readonly record: ApprovalRecord; readonly isTaken: boolean }
  | {
      /** `wide`: the scope reaches further than this question may be answered. */
      readonly outcome: 'gone' | 'forbidden' | 'own' | 'wide';
      readonly record?: ApprovalRecord | undefined;
    };

export interface UndoWishes {
  /** Go on where a later change is lost by it. */
  readonly force?: boolean | undefined;
  readonly tell?: ((step: UndoStep) => void) | undefined;
}

export interface Undone {
  readonly steps: readonly UndoStep[];
  /** Taking this session back brings back all that was undone. */
  readonly sessionId: string;
  /** It stopped before the end, or something could not be brought back. */
  readonly stopped: boolean;
}

export type MemoryLines = AsyncIterable<string> | Iterable<string>;

export interface ImportedMemories {
  readonly stored: number;
  readonly duplicates: number;
}

export interface MemoryChange {
  readonly content?: string | undefined;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

export interface ServerReview {
  readonly digest: string;
  readonly changes: readonly (HeldTool & { readonly diff: string })[];
  readonly removed: readonly string[];
}

/** The part of `TeamAdmin` that changes something. */
export type TeamChanges = Pick<
  TeamAdmin,
  | 'addAgent'
  | 'changeAgent'
  | 'removeAgent'
  | 'addProject'
  | 'changeProject'
  | 'assign'
  | 'unassign'
  | 'setCoordinatorToken'
  | 'addTask'
  | 'assignTask'
  | 'cancelTask'
  | 'writeTo'
>;
