import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Seals what servers say to each other, tokens of callers among it: who reads the database learns nothing, and who writes to it
 * makes up nothing. Bound to its place (`where`), so that a word is none of another key or direction.
 */
export function createSealing(key: () => Uint8Array) {
  return {
    close(where: string, words: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key(), nonce).setAAD(Buffer.from(where));
      const sealed = [nonce, cipher.update(words, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64');
    },
    /** Throws for what was not closed for this place with this key. */
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
