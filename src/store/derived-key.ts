import { hkdfSync } from 'node:crypto';
import { openAuditKey } from './audit/key.ts';

/** Derives 32 bytes for a purpose from `audit.key`: servers that share it open what others sealed for a client. */
export function deriveKey(stateFolder: string, purpose: string): Uint8Array {
  const { secret } = openAuditKey(stateFolder);
  return new Uint8Array(hkdfSync('sha256', secret, '', `sekisho ${purpose}`, 32));
}
