import type { Person } from '../contract/operator.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import type { ConsoleDesk } from './desk.ts';
import { scopeOf } from './pages/view.ts';

/** The questions that this person may see, the oldest first: it has waited the longest. */
export async function waitingFor(person: Person, desk: ConsoleDesk): Promise<readonly ApprovalRecord[]> {
  const pending = await (await desk.approvals()).list('pending', desk.now());
  const own = scopeOf(person);
  return pending.filter(({ principal }) => own === undefined || principal === own).toReversed();
}
