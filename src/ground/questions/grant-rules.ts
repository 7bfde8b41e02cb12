import type { ApprovalRecord, GrantWanted, StandingScope } from '../../contract/records.ts';
import { isInside } from '../inside.ts';
import { orElse } from '../or-else.ts';

/** A standing approval: its rules and its extent. */
export interface StandingApproval {
  readonly scope?: string | undefined;
  readonly grant?: string | undefined;
  readonly folder?: string | undefined;
}

/** The rules of a grant, each as JSON. Quotes inside are escaped, so the separator matches only between rules. */
export function rulesOfGrant(grant: string): readonly string[] {
  return grant.split(/(?<=\}) (?=\{"tool":)/);
}

/**
 * The first of the approvals that together cover every rule of the wanted grant; undefined if a rule is not covered.
 */
export function coveredBy<A extends StandingApproval>(
  approvals: readonly A[],
  wanted: Pick<GrantWanted, 'grant' | 'folder'>,
): A | undefined {
  const found = rulesOfGrant(wanted.grant).map((rule) =>
    approvals.find((approval) => covers(approval, rule, wanted.folder)),
  );
  return found.includes(undefined) ? undefined : found[0];
}

function covers({ scope, grant, folder }: StandingApproval, rule: string, at: string | undefined): boolean {
  if (grant === undefined) return false;
  if (scope !== 'folder') return rulesOfGrant(grant).includes(rule);
  // All paths of such a call are inside its folder, so they need not be compared.
  if (at === undefined || folder === undefined || !isInside(at, folder)) return false;
  return rulesOfGrant(grant).map(withoutPath).includes(withoutPath(rule));
}

/** The rules of a grant as they read with this scope; each ends with its extent (`untilMs`: epoch). */
export function scopedGrant(
  { grant = '', folder }: Pick<ApprovalRecord, 'grant' | 'folder'>,
  scope: StandingScope,
  untilMs?: number,
): string {
  const more = {
    ...(scope === 'folder' && { folder: `${folder}/**` }),
    ...(scope === 'session' && { session: 'this' }),
    ...(scope === 'until' && untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
  };
  const rules = rulesOfGrant(grant).map((rule) => {
    const fields = fieldsOf(scope === 'folder' ? withoutPath(rule) : rule);
    // Not one of our rules: shown unchanged.
    if (!fields) return rule;
    const { decision, ...about } = fields;
    return JSON.stringify({ ...about, ...more, decision });
  });
  return [...new Set(rules)].join(' ');
}

function withoutPath(rule: string): string {
  const fields = fieldsOf(rule);
  if (!fields || !('path' in fields)) return rule;
  const { path: _path, ...rest } = fields;
  return JSON.stringify(rest);
}

function fieldsOf(rule: string): Readonly<Record<string, unknown>> | undefined {
  // Cut or foreign: compared as text.
  return orElse(() => JSON.parse(rule) as Readonly<Record<string, unknown>>, undefined);
}
