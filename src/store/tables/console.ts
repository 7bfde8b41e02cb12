/** The tables of the console; part of `Tables`. */
export interface ConsoleTables {
  console_codes: { hash: string; person: string; expires_at_ms: number };
  console_sessions: ConsoleSessionRow;
}

export interface ConsoleSessionRow {
  /** Of the secret in the cookie. */
  hash: string;
  person: string;
  /** The token that was pasted; absent where a link of the operator was followed. */
  token_id: string | null;
  /** The passkey that began it, if one did. */
  passkey_id: string | null;
  used_at_ms: number;
  ends_at_ms: number;
}
