import { hkdfSync } from 'node:crypto';
import { openAuditKey } from './audit/key.ts';

/**
 * 32 bytes for one purpose, the same on every server that shares an `audit.key`, and saying nothing about it: what
 * one server sealed for a client, another opens.
 */
export function deriveKey(stateFolder: string, purpose: string): Uint8Array {
  const { secret } = openAuditKey(stateFolder);
  return new Uint8Array(hkdfSync('sha256', secret, '', `sekisho ${purpose}`, 32));
}
