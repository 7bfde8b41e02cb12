import { createECDH } from 'node:crypto';

/** A key pair on P-256 from 32 secret bytes, base64url, so that every server of one state folder is the same sender. */
export function vapidKeysFrom(secret: Uint8Array): {
  readonly publicKey: string;
  readonly privateKey: string;
} {
  const curve = createECDH('prime256v1');
  // Throws for none of the bytes but one in 2^32, and always for the same.
  curve.setPrivateKey(secret);
  return {
    publicKey: curve.getPublicKey('base64url'),
    privateKey: Buffer.from(secret).toString('base64url'),
  };
}
