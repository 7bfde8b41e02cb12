import { createECDH } from 'node:crypto';

/** A P-256 key pair from 32 secret bytes, base64url, so that all servers of one state folder are the same sender. */
export function vapidKeysFrom(secret: Uint8Array): {
  readonly publicKey: string;
  readonly privateKey: string;
} {
  const curve = createECDH('prime256v1');
  // Throws for about one secret in 2^32 (no valid P-256 key), and always for the same ones.
  curve.setPrivateKey(secret);
  return {
    publicKey: curve.getPublicKey('base64url'),
    privateKey: Buffer.from(secret).toString('base64url'),
  };
}
