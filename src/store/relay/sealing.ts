import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Seals messages between servers, which include callers' tokens: reading the database reveals nothing, and writing to
 * it cannot forge one. Each is bound to its key and direction (`where`).
 */
export function createSealing(key: () => Uint8Array) {
  return {
    close(where: string, words: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key(), nonce).setAAD(Buffer.from(where));
      const sealed = [nonce, cipher.update(words, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64');
    },
    /** Throws unless it was closed for this place with this key. */
    open(where: string, sealed: string): string {
      const bytes = Buffer.from(sealed, 'base64');
      const cipher = createDecipheriv('aes-256-gcm', key(), bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      }).setAAD(Buffer.from(where));
      cipher.setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([cipher.update(bytes.subarray(nonceBytes, -tagBytes)), cipher.final()]).toString(
        'utf8',
      );
    },
  };
}

const nonceBytes = 12;
const tagBytes = 16;
