import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts words under a key of 32 bytes (AES-256-GCM). What it is for is bound to it, and must be named to open it. */
export function seal(words: string, key: Uint8Array, purpose: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 }).setAAD(
    Buffer.from(purpose),
  );
  const body = Buffer.concat([cipher.update(words, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws if it was sealed with another key or for another purpose, or is damaged. */
export function unseal(sealed: Buffer, key: Uint8Array, purpose: string): string {
  const opener = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  opener.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([opener.update(sealed.subarray(28)), opener.final()]).toString('utf8');
}
