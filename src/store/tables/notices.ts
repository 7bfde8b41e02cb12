import type { MaybeNumbers, MaybeTexts, Numbers, Texts } from './columns.ts';

/** The tables of notices and passkeys; part of `Tables`. */
export interface NoticeTables {
  notices: NoticeRow;
  notice_told: { channel: string; question: string; at_ms: number };
  notice_links: { hash: string; kind: string; channel: string; questions: string; expires_at_ms: number };
  push_devices: PushDeviceRow;
  passkeys: PasskeyRow;
  passkey_challenges: { hash: string; expires_at_ms: number };
}

export interface NoticeRow
  extends Texts<'id' | 'channel' | 'kind' | 'status'>,
    Numbers<'at_ms' | 'attempts'>,
    MaybeTexts<'problem'>,
    MaybeNumbers<'ended_at_ms'> {
  /** Ids, as JSON. */
  questions: string;
  /** When it may be taken, while it waits. */
  next_at_ms: number | null;
}

export type PushDeviceRow = Texts<'id' | 'person' | 'label' | 'endpoint' | 'p256dh' | 'auth' | 'locale'> &
  Numbers<'created_at_ms'>;

export interface PasskeyRow
  extends Texts<'id' | 'person' | 'host' | 'label' | 'public_key' | 'transports'>,
    Numbers<'counter' | 'created_at_ms'>,
    MaybeNumbers<'used_at_ms'> {
  /** The token of the session in which it was registered; null for an operator's link. */
  token_id: string | null;
}
