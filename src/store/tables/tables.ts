import type { Generated } from 'kysely';
import type { MaybeNumbers, MaybeTexts, Numbered, Numbers, Texts } from './columns.ts';
import type { NoticeTables } from './notices.ts';
import type { TeamTables } from './team.ts';

/** Every table, for Kysely. Each kind of records adds its interface here and a migration beside it. */
export interface Tables extends TeamTables, ConsoleTables, NoticeTables, RelayTables {
  audit: AuditRow;
  audit_head: AuditHeadRow;
  audit_start: AuditStartRow;
  nodes: NodeRow;
  audit_inbox: AuditInboxTable;
  audit_writers: AuditWriterRow;
  tokens: TokenRow;
  approvals: ApprovalRow;
  rates: RateRow;
  rate_hits: RateHitRow;
  memories: Numbered<MemoryRow>;
  memory_owners: MemoryOwnerRow;
  memory_vectors: MemoryVectorRow;
  memory_embedding: MemoryEmbeddingRow;
  history: HistoryRow;
  halts: Texts<'by_name'> & Numbers<'id' | 'at_ms'>;
  ask_sessions: AskSessionRow;
}

export interface AuditRow {
  seq: number;
  at_ms: number;
  principal: string;
  tool: string;
  outcome: string;
  /** The whole record as JSON; the columns before it repeat the searchable parts. */
  body: string;
  hash: string;
}

/** One row: the end of the chain, sealed with the key, so that cutting off the end is detected. */
export type AuditHeadRow = Texts<'hash' | 'seal'> & Numbers<'id' | 'seq'>;

/** One row: the start of the chain after old records were removed, sealed with the key. */
export type AuditStartRow = AuditHeadRow;

/** A record that waits for its place in the chain. */
export interface AuditInboxRow extends Omit<AuditRow, 'seq'> {
  id: number;
  /** The server that wrote it; each start counts as a new one. */
  writer: string;
  /** The writer's own numbering, from 1. */
  n: number;
}

type AuditInboxTable = Omit<AuditInboxRow, 'id'> & { readonly id: Generated<number> };

/** How many of a server's records have joined the chain, sealed with the key. */
export type AuditWriterRow = Texts<'writer' | 'hash' | 'seal'> & Numbers<'n'>;

export type TokenRow = Texts<'id' | 'hash' | 'user_name'> &
  Numbers<'created_at_ms'> &
  MaybeTexts<'role' | 'toolsets'> &
  MaybeNumbers<'expires_at_ms' | 'revoked_at_ms'>;

export type ApprovalRow = Texts<
  'id' | 'principal' | 'session_id' | 'tool' | 'digest' | 'message' | 'rule' | 'status'
> &
  Numbers<'created_at_ms' | 'expires_at_ms'> &
  MaybeTexts<
    | 'decided_by'
    | 'scope'
    | 'grant_text'
    | 'folder'
    | 'answer'
    | 'written_at'
    | 'instead'
    | 'plan_id'
    | 'about'
  > &
  MaybeNumbers<'until_ms' | 'last_used_at_ms'>;

export interface RateRow {
  key: string;
  hits: number;
  touched_at_ms: number;
}

/** A ring of the newest `max` hits of a key. */
export interface RateHitRow {
  key: string;
  slot: number;
  at_ms: number;
}

export interface MemoryRow {
  /** Storage order; also the row id of the word index. */
  seq: number;
  id: string;
  owner: string;
  content: string;
  category: string;
  tags: string;
  created_at_ms: number;
  updated_at_ms: number;
  /** Digest of its content, to find duplicates. */
  gist: string;
  /** Category and tags for comparison; each tag is enclosed in line feeds. */
  category_key: string;
  tags_key: string;
  /** Its index words with repeats, so that ranking need not split the text again. */
  words: string;
}

/** An owner's totals; writing them serializes two writers of one owner. */
export interface MemoryOwnerRow {
  owner: string;
  memories: number;
  words: number;
  /** Rises with each stored batch of vectors, so that caches of codes see what is new. */
  vector_rev: Generated<number>;
}

/** A memory's vector. If `due_at_ms` is set, it still waits for one, and that is when to try. */
export interface MemoryVectorRow {
  seq: number;
  owner: string;
  /** The model that made the vector, or will. */
  model: string;
  dimensions: number | null;
  /** The packed signs of the vector, for preselection. */
  code: Uint8Array | null;
  /** One signed byte per dimension. */
  vector: Uint8Array | null;
  /** The owner's `vector_rev` at which it was stored. */
  rev: Generated<number>;
  attempts: Generated<number>;
  due_at_ms: number | null;
}

/** One row: the model for which memories were last scanned, and how far. */
export interface MemoryEmbeddingRow {
  id: number;
  model: string;
  scanned_seq: number;
}

/** One change of one path; the states are JSON. */
export interface HistoryRow
  extends Texts<
      | 'id'
      | 'principal'
      | 'session_id'
      | 'tool'
      | 'audit_id'
      | 'root'
      | 'path'
      | 'action'
      | 'before_state'
      | 'after_state'
    >,
    Numbers<'seq' | 'at_ms'>,
    MaybeTexts<'undoes' | 'undone_by'> {
  /** Digest of the content that undoing needs. */
  digest: string | null;
}

/** A conversation with a model over HTTP; the body is JSON lines. */
export interface AskSessionRow {
  id: string;
  principal: string;
  body: string;
  updated_at_ms: number;
  /** The question that has the lease, until then. */
  holder: string | null;
  held_until_ms: number;
}

interface RelayTables {
  relay_keys: RelayKeyRow;
  relay_words: RelayWordRow;
  ended_sessions: { id: string; at_ms: number };
  history_contents: ContentRow;
}

/** A part of a former content; on PostgreSQL only. */
interface ContentRow {
  digest: string;
  part: number;
  bytes: Buffer;
  at_ms: number;
}

/** A thing that lives in one server's process, and that server. */
interface RelayKeyRow {
  name: string;
  node: string;
  at_ms: number;
}

/** A request of one server to another; both texts are sealed. */
interface RelayWordRow {
  id: string;
  /** The server that is asked. */
  node: string;
  name: string;
  body: string;
  answer: string | null;
  at_ms: number;
}

/** The tables of the console; part of `Tables`. */
interface ConsoleTables {
  console_codes: { hash: string; person: string; expires_at_ms: number };
  console_sessions: ConsoleSessionRow;
}

export interface ConsoleSessionRow {
  /** The hash of the cookie's secret. */
  hash: string;
  person: string;
  /** The token that was pasted; null for a login by an operator's link. */
  token_id: string | null;
  /** The passkey that began it, if any. */
  passkey_id: string | null;
  used_at_ms: number;
  ends_at_ms: number;
}

/** A server that uses this store. `clock_ms` is its own time, `seen_at_ms` the store's at the same moment. */
export interface NodeRow
  extends Texts<'id' | 'host' | 'address' | 'version'>,
    Numbers<
      | 'pid'
      | 'started_at_ms'
      | 'is_draining'
      | 'calls'
      | 'load_percent'
      | 'resident_bytes'
      | 'clock_ms'
      | 'seen_at_ms'
    > {
  /** A JSON list; null for servers of the previous version. */
  roots: string | null;
}
