/** The tables of notices and passkeys; part of `Tables`. */
export interface NoticeTables {
  notices: NoticeRow;
  notice_told: { channel: string; question: string; at_ms: number };
  notice_links: { hash: string; kind: string; channel: string; questions: string; expires_at_ms: number };
  push_devices: PushDeviceRow;
  passkeys: PasskeyRow;
  passkey_challenges: { hash: string; expires_at_ms: number };
}

export interface NoticeRow {
  id: string;
  at_ms: number;
  channel: string;
  kind: string;
  /** Ids, as JSON. */
  questions: string;
  status: string;
  attempts: number;
  /** When it may be taken, while it waits. */
  next_at_ms: number | null;
  ended_at_ms: number | null;
  problem: string | null;
}

export interface PushDeviceRow {
  id: string;
  person: string;
  label: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  locale: string;
  created_at_ms: number;
}

export interface PasskeyRow {
  id: string;
  person: string;
  /** The token of the session in which it was registered; null for an operator's link. */
  token_id: string | null;
  host: string;
  label: string;
  public_key: string;
  counter: number;
  transports: string;
  created_at_ms: number;
  used_at_ms: number | null;
}
