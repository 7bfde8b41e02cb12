import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits for an address; the table has their hash alone. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Strangers send what they like; only what could be one of ours is hashed and looked up. */
export function isSecret(words: string): boolean {
  return /^[\w-]{43}$/.test(words);
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
