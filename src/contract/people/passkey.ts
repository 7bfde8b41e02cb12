import type { Person } from './person.ts';

/** A key that a person's device stores and uses only after it is unlocked (WebAuthn). */
export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** The person of the session in which it was registered. */
  readonly person: string;
  readonly tokenId: string | undefined;
  /** The host name for which it is valid. */
  readonly host: string;
  readonly label: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly createdAtMs: number;
  readonly usedAtMs: number | undefined;
}

/** The purpose of a challenge. Only a response for exactly this purpose is accepted. */
export type ChallengePurpose =
  | { readonly kind: 'register'; readonly session: string }
  | { readonly kind: 'login' }
  | { readonly kind: 'halt' | 'resume' }
  | { readonly kind: 'answer'; readonly question: string; readonly digest: string; readonly answer: string };

export interface PasskeyStore {
  add(passkey: Omit<Passkey, 'createdAtMs' | 'usedAtMs'>, nowMs: number): Promise<boolean>;
  list(): Promise<readonly Passkey[]>;
  /** With its current person; undefined if their token was revoked, or it was removed. */
  find(
    id: string,
    nowMs: number,
  ): Promise<{ readonly passkey: Passkey; readonly person: Person } | undefined>;
  used(id: string, counter: number, nowMs: number): Promise<void>;
  remove(id: string): Promise<boolean>;
  /** A one-time challenge, base64url: random, and bound to its purpose. */
  challenge(purpose: ChallengePurpose, nowMs: number): Promise<string>;
  /** True once, before it expires, and only for its purpose. */
  takeChallenge(challenge: string, purpose: ChallengePurpose, nowMs: number): Promise<boolean>;
}
