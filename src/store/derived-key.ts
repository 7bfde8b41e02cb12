import { hkdfSync } from 'node:crypto';
import { openAuditKey } from './audit/key.ts';

/**
 * Derives 32 bytes for one purpose from `audit.key` without revealing it. Servers that share the key get the same
 * bytes, so each can open what another sealed for a client.
 */
export function deriveKey(stateFolder: string, purpose: string): Uint8Array {
  const { secret } = openAuditKey(stateFolder);
  return new Uint8Array(hkdfSync('sha256', secret, '', `sekisho ${purpose}`, 32));
}
