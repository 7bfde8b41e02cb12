import { type Checkpoint, openCheckpoint } from '../../checkpoint/index.ts';
import { loadSettings } from '../../config/load.ts';
import type { Flags } from '../../config/settings.ts';
import type { Acts, Operator } from '../../contract/people/operator.ts';
import type { Person } from '../../contract/people/person.ts';
import { accountName } from './account-name.ts';

/** The tools of a command: the acts of the person at the terminal, and the records. */
export interface AtWork {
  readonly acts: Acts;
  readonly operator: Operator;
  readonly checkpoint: Checkpoint;
}

/** The person at the terminal, as an approver and in the log. */
export function personHere(): Person {
  return { name: `cli:${accountName()}`, principal: 'local', isOperator: true, face: 'cli' };
}

/** Opens the checkpoint of the flags for one command, and closes it afterwards. */
export async function withOperator<T>(flags: Flags, work: (at: AtWork) => Promise<T>): Promise<T> {
  await using checkpoint = await openCheckpoint(loadSettings(flags));
  const operator = await checkpoint.operator();
  return await work({ acts: operator.as(personHere()), operator, checkpoint });
}
