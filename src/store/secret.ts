import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits for an address; the table stores only their hash. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Checks the form first, so that arbitrary input is neither hashed nor looked up. */
export function isSecret(words: string): boolean {
  return /^[\w-]{43}$/.test(words);
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
