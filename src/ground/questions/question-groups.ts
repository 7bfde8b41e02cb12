import { createHash } from 'node:crypto';
import type { QuestionGroup } from '../../contract/people/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';

/**
 * Groups open questions that one answer may settle: the same caller, session, tool and rule. A question that only a
 * person may answer is a group by itself. The group's id derives from its members' ids.
 */
export function groupsOf(pending: readonly ApprovalRecord[]): readonly QuestionGroup[] {
  const groups = Map.groupBy(pending, ({ id, principal, sessionId, tool, rule, answer }) =>
    answer === 'person' ? id : JSON.stringify([principal, sessionId, tool, rule]),
  );
  return [...groups.values()].map((records) => ({ id: groupId(records), records }));
}

function groupId(records: readonly ApprovalRecord[]): string {
  const ids = records.map(({ id }) => id).sort();
  return `grp_${createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 16)}`;
}
