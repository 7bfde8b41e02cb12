import type { AuditRecord } from '../contract/records.ts';

/**
 * The caller, with their name for people; with delegation, the whole chain from the one for whom the call was made to
 * the one that made it.
 */
export function actorsOf({ principal, facts }: Pick<AuditRecord, 'principal' | 'facts'>): string {
  const { chain, person } = facts ?? {};
  const known = typeof person === 'string' ? ` (${person})` : '';
  const [first, ...others] = Array.isArray(chain) && chain.length > 0 ? chain.map(String) : [principal];
  return [`${first}${known}`, ...others].join(' → ');
}
