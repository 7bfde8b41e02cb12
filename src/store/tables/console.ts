/** The tables of the console; part of `Tables`. */
export interface ConsoleTables {
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
