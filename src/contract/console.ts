import type { Passkey } from './passkey.ts';
import type { Person } from './person.ts';

/** Logins: codes that work once, and the sessions that they and tokens begin. Only hashes are kept. */
export interface ConsoleSessions {
  /** A code for one login of the local operator. */
  createCode(person: string, nowMs: number): Promise<string>;
  /** Begins a session; the secret belongs into a cookie. Undefined for a code that is unknown, used or late. */
  enterByCode(code: string, nowMs: number): Promise<string | undefined>;
  /** The same for a bearer token. */
  enterByToken(token: string, nowMs: number): Promise<string | undefined>;
  /** The same for the owner of a passkey that was just proven. */
  enterByPasskey(passkey: Pick<Passkey, 'id' | 'person' | 'tokenId'>, nowMs: number): Promise<string>;
  /** Who a session is of; undefined where it is over, or its token was revoked. */
  find(secret: string, nowMs: number): Promise<Person | undefined>;
  /** What a session began with, for a passkey that is to be the same person's. */
  origin(secret: string): Promise<Pick<Passkey, 'person' | 'tokenId'> | undefined>;
  end(secret: string): Promise<void>;
}
