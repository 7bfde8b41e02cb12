import type { ConsolePerson } from '../contract/console.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import type { ConsoleDesk } from './desk.ts';
import { scopeOf } from './pages/view.ts';

/** The questions that this person may see, the oldest first: it has waited the longest. */
export async function waitingFor(
  person: ConsolePerson,
  desk: ConsoleDesk,
): Promise<readonly ApprovalRecord[]> {
  const pending = await (await desk.approvals()).list('pending', desk.now());
  const own = scopeOf(person);
  return pending.filter(({ principal }) => own === undefined || principal === own).toReversed();
}

/**
 * May this person answer that question? Operators alone, and none by a token for the calls that were made with it: a
 * program that holds a token must not be able to agree to what it asks for.
 */
export function mayAnswer(person: ConsolePerson, record: ApprovalRecord): 'yes' | 'forbidden' | 'own' {
  if (!person.isOperator) return 'forbidden';
  return person.principal !== 'local' && record.principal === person.principal ? 'own' : 'yes';
}
