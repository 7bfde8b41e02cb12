export interface RelayTables {
  relay_keys: RelayKeyRow;
  relay_words: RelayWordRow;
  ended_sessions: { id: string; at_ms: number };
  history_contents: ContentRow;
}

/** A part of a former content; on PostgreSQL only. */
export interface ContentRow {
  digest: string;
  part: number;
  bytes: Buffer;
  at_ms: number;
}

/** A thing that lives in one server's process, and that server. */
export interface RelayKeyRow {
  name: string;
  node: string;
  at_ms: number;
}

/** A request of one server to another; both texts are sealed. */
export interface RelayWordRow {
  id: string;
  /** The server that is asked. */
  node: string;
  name: string;
  body: string;
  answer: string | null;
  at_ms: number;
}
