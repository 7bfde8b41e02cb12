import type { UndoSelection, UndoStep } from '../capabilities/history.ts';
import type { Memory } from '../capabilities/memory.ts';
import type { Halt } from '../halt.ts';
import type { ApprovalRecord, Scope, StandingScope, TokenStore, Wishes } from '../records.ts';
import type { TeamAdmin } from '../team/admin.ts';
import type { LoginOptions, WithheldTool } from '../upstream.ts';
import type { NoticeRecord, PushDevice } from './notice.ts';
import type { Passkey } from './passkey.ts';
import type { Person } from './person.ts';
import type { Digest, SessionStory, StandingGrant } from './story.ts';

/**
 * Everything that a person does with this program. Each act checks whether they may, and leaves exactly one entry in
 * the audit log, durable when the act returns, even if it was refused or failed. Throws `forbidden` if the person may
 * not do it.
 */
export interface Acts {
  /** Answers a question. `gone`: it does not exist, or was answered or has expired. */
  answer(id: string, answer: Answer): Promise<Answered>;
  /** Gives the same answer to several questions: each is bound to its own call and gets its own entry. */
  answerAll(ids: readonly string[], answer: Answer): Promise<readonly Answered[]>;
  /** Revokes a standing approval; false if there is none. */
  revokeGrant(id: string): Promise<boolean>;
  createToken(token: Parameters<TokenStore['create']>[0]): ReturnType<TokenStore['create']>;
  /** False if no such token is active. */
  revokeToken(id: string): Promise<boolean>;
  /** Keeps the value of a credential, or removes it if undefined; false if there is none to remove. */
  setSecret(name: string, value: string | undefined): Promise<boolean>;
  /** Approves a proxied server's tools as reviewed (`digest`); false if they have changed since. */
  approveServer(name: string, digest: string): Promise<boolean>;
  forgetServer(name: string): Promise<void>;
  logInServer(name: string, options: LoginOptions): Promise<void>;
  logOutServer(name: string): Promise<'revoked' | 'forgotten' | 'none'>;
  /** Stops the work of every session, until `resume`. */
  halt(): Promise<void>;
  /** Lets work go on; false if it was not stopped. */
  resume(): Promise<boolean>;
  undo(selection: UndoSelection, options?: UndoWishes): Promise<Undone>;
  importMemories(owner: string, lines: MemoryLines): Promise<ImportedMemories>;
  /** Undefined if there is no such memory. Throws `conflict` if another has the same content. */
  changeMemory(owner: string, id: string, change: MemoryChange): Promise<Memory | undefined>;
  forgetMemory(owner: string, id: string): Promise<boolean>;
  /** Records that the person has logged in to the console from this address. */
  entered(address: string | undefined): Promise<void>;
  /** Sends a test notice; undefined if there is no such channel. */
  testNotice(channel: string): Promise<NoticeRecord | undefined>;
  /** Subscribes this browser to notices of questions. */
  addDevice(device: Omit<PushDevice, 'id' | 'person'>): Promise<PushDevice>;
  removeDevice(id: string): Promise<boolean>;
  /** False if it is already registered. */
  addPasskey(passkey: Omit<Passkey, 'createdAtMs' | 'usedAtMs'>): Promise<boolean>;
  removePasskey(id: string): Promise<boolean>;
  /** Changes to agents, projects and tasks. */
  readonly team: TeamChanges;
}

/** Acts by person, and the checks that decide which buttons are shown. */
export interface Operator {
  as(person: Person): Acts;
  mayAnswer(person: Person, record: ApprovalRecord): 'yes' | 'forbidden' | 'own';
  /**
   * By question id, the standing approvals that may answer it, the narrowest first; none if only a person may answer.
   */
  offers(records: readonly ApprovalRecord[]): Promise<GrantOffers>;
  grants(): Promise<readonly StandingGrant[]>;
  /** Since when all work is stopped, and by whom. */
  halted(): Promise<Halt | undefined>;
  /** All calls of a session; undefined if it made none lately. */
  story(sessionId: string): Promise<SessionStory | undefined>;
  /** All events since then, in all sessions. */
  digest(sinceMs: number): Promise<Digest>;
  /** The owner whose memories the person may read and change: for an operator the wanted one, for others themselves. */
  memoryOwner(person: Person, wanted: string | undefined): string | undefined;
  /** The changes of a proxied server's tools that wait for review. */
  review(name: string): Promise<ServerReview | undefined>;
}

export interface Answer extends Wishes {
  readonly decision: 'approved' | 'declined';
  readonly scope: Scope;
}

/** A standing approval that could be granted. */
export interface GrantOffer {
  readonly scope: StandingScope;
  /** With `until`: an hour from now. */
  readonly untilMs?: number | undefined;
  /** The rules as they would be written. */
  readonly rule: string;
  /** The recent calls that it would have answered. */
  readonly covered: Covered;
}

export type GrantOffers = ReadonlyMap<string, readonly GrantOffer[]>;

/** The calls with a question that a standing approval would have answered. */
export interface Covered {
  /** The number of calls that were checked. */
  readonly of: number;
  readonly calls: number;
  /** Examples, no two alike: the command, or tool and arguments. */
  readonly among: readonly string[];
}

/** Open questions that are alike: the same caller, session, tool and rule. */
export interface QuestionGroup {
  /** Identifies exactly these questions: a group with one more or less has another id. */
  readonly id: string;
  readonly records: readonly ApprovalRecord[];
}

export type Answered =
  /** `isTaken`: a waiting call continued with it; otherwise it is kept for when the same call is sent again. */
  | { readonly outcome: 'answered'; readonly record: ApprovalRecord; readonly isTaken: boolean }
  | {
      /** `wide`: the scope exceeds what this question allows. */
      readonly outcome: 'gone' | 'forbidden' | 'own' | 'wide';
      readonly record?: ApprovalRecord | undefined;
    };

export interface UndoWishes {
  /** Continue even if a later change is lost. */
  readonly force?: boolean | undefined;
  readonly tell?: ((step: UndoStep) => void) | undefined;
}

export interface Undone {
  readonly steps: readonly UndoStep[];
  /** Undoing this session restores everything that was undone. */
  readonly sessionId: string;
  /** It stopped before the end, or something could not be restored. */
  readonly stopped: boolean;
  /** Commands of the selection that ran outside the sandbox: what they changed elsewhere cannot be undone. */
  readonly outside: readonly string[];
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
  readonly changes: readonly (WithheldTool & { readonly diff: string })[];
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
