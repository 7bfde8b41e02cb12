import type { Person } from './person.ts';

/** A key that a device of a person holds and lends only to whoever unlocks it (WebAuthn). */
export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** As the session that it was registered in. */
  readonly person: string;
  readonly tokenId: string | undefined;
  /** The host name that it works at. */
  readonly host: string;
  readonly label: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly createdAtMs: number;
  readonly usedAtMs: number | undefined;
}

/** What a challenge was made for. Only an answer to exactly this is taken. */
export type ChallengePurpose =
  | { readonly kind: 'register'; readonly session: string }
  | { readonly kind: 'login' }
  | { readonly kind: 'answer'; readonly question: string; readonly digest: string; readonly answer: string };

export interface PasskeyStore {
  add(passkey: Omit<Passkey, 'createdAtMs' | 'usedAtMs'>, nowMs: number): Promise<boolean>;
  list(): Promise<readonly Passkey[]>;
  /** With the person whom it is of now; undefined where its token was revoked, or it was removed. */
  find(
    id: string,
    nowMs: number,
  ): Promise<{ readonly passkey: Passkey; readonly person: Person } | undefined>;
  used(id: string, counter: number, nowMs: number): Promise<void>;
  remove(id: string): Promise<boolean>;
  /** A challenge for one use, base64url: random, and bound to its purpose. */
  challenge(purpose: ChallengePurpose, nowMs: number): Promise<string>;
  /** True once, in time, and for the purpose that it was made for. */
  takeChallenge(challenge: string, purpose: ChallengePurpose, nowMs: number): Promise<boolean>;
}
