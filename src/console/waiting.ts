import type { GrantOffers } from '../contract/people/operator.ts';
import type { Person } from '../contract/people/person.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { maySee, type View } from './pages/view.ts';

/** The questions that this person may see, the oldest first. */
export async function waitingFor(
  person: Person,
  dependencies: ConsoleDependencies,
): Promise<readonly ApprovalRecord[]> {
  const pending = await (await dependencies.approvals()).list('pending', dependencies.now());
  return pending.filter((record) => maySee(person, record)).toReversed();
}

/** Questions, and the extent of each possible approval. */
export interface Waiting {
  readonly records: readonly ApprovalRecord[];
  readonly offers: GrantOffers;
}

/** The same with the standing approvals that may be given; empty for a person who may not answer. */
export async function questionsFor(view: View, dependencies: ConsoleDependencies): Promise<Waiting> {
  const records = await waitingFor(view.person, dependencies);
  const offers = view.person.isOperator ? await (await dependencies.operator()).offers(records) : new Map();
  return { records, offers };
}
