import type { Passkey } from './passkey.ts';
import type { Person } from './person.ts';

/** The host names of all consoles on this machine begin so. */
export const consoleHostStart = 'sekisho-';

/** Logins: one-time codes, and the sessions that codes and tokens begin. Only hashes are stored. */
export interface ConsoleSessions {
  /** Creates a code for one login of the local operator. */
  createCode(person: string, nowMs: number): Promise<string>;
  /** Begins a session and returns the secret for its cookie. Undefined for a code that is unknown, used or expired. */
  enterByCode(code: string, nowMs: number): Promise<string | undefined>;
  /** The same for a bearer token. */
  enterByToken(token: string, nowMs: number): Promise<string | undefined>;
  /** The same for the owner of a passkey that was just proven. */
  enterByPasskey(passkey: Pick<Passkey, 'id' | 'person' | 'tokenId'>, nowMs: number): Promise<string>;
  /** The person of a session; undefined if it is over, or its token was revoked. */
  find(secret: string, nowMs: number): Promise<Person | undefined>;
  /** The credential that a session began with, so that a new passkey belongs to the same person. */
  origin(secret: string): Promise<Pick<Passkey, 'person' | 'tokenId'> | undefined>;
  end(secret: string): Promise<void>;
}
