export interface RelayTables {
  relay_keys: RelayKeyRow;
  relay_words: RelayWordRow;
  ended_sessions: { id: string; at_ms: number };
  history_contents: ContentRow;
}

/** A part of what a file held; on PostgreSQL only. */
export interface ContentRow {
  digest: string;
  part: number;
  bytes: Buffer;
  at_ms: number;
}

/** Something that lives in one server's process, and that server. */
export interface RelayKeyRow {
  name: string;
  node: string;
  at_ms: number;
}

/** What one server asks another; both texts are sealed. */
export interface RelayWordRow {
  id: string;
  /** Who is asked. */
  node: string;
  name: string;
  body: string;
  answer: string | null;
  at_ms: number;
}
