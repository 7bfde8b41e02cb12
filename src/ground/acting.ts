import type { AuditRecord } from '../contract/records.ts';

/** Who made a call; where somebody acted for others, all of them, from whom it was done for to who did it. */
export function actingIn({ principal, facts }: Pick<AuditRecord, 'principal' | 'facts'>): string {
  const chain = facts?.chain;
  return Array.isArray(chain) && chain.length > 1 ? chain.map(String).join(' → ') : principal;
}
