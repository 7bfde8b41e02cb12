import type { AuditRecord } from '../../contract/records.ts';

/** The caller, with their name for people; with delegation, the chain from the one it was made for to its maker. */
export function actorsOf({ principal, facts }: Pick<AuditRecord, 'principal' | 'facts'>): string {
  const { chain, person } = facts ?? {};
  const known = typeof person === 'string' ? ` (${person})` : '';
  const [first, ...others] = Array.isArray(chain) && chain.length > 0 ? chain.map(String) : [principal];
  return [`${first}${known}`, ...others].join(' → ');
}
