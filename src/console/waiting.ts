import type { Person } from '../contract/person.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { scopeOf } from './pages/view.ts';

/** The questions that this person may see, the oldest first: it has waited the longest. */
export async function waitingFor(
  person: Person,
  dependencies: ConsoleDependencies,
): Promise<readonly ApprovalRecord[]> {
  const pending = await (await dependencies.approvals()).list('pending', dependencies.now());
  const own = scopeOf(person);
  return pending.filter(({ principal }) => own === undefined || principal === own).toReversed();
}
