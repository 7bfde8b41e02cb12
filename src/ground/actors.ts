import type { AuditRecord } from '../contract/records.ts';

/**
 * Who made a call, with the name that people know them by; where somebody acted for others, all of them, from whom it was
 * done for to who did it.
 */
export function actorsOf({ principal, facts }: Pick<AuditRecord, 'principal' | 'facts'>): string {
  const { chain, person } = facts ?? {};
  const known = typeof person === 'string' ? ` (${person})` : '';
  const [first, ...others] = Array.isArray(chain) && chain.length > 0 ? chain.map(String) : [principal];
  return [`${first}${known}`, ...others].join(' → ');
}
