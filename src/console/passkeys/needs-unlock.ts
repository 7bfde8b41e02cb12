import type { Person } from '../../contract/people/person.ts';
import type { ConsoleDependencies } from '../dependencies.ts';

/**
 * Whether this person's device must be unlocked before they allow anything. Once they have a passkey, a session alone
 * is not enough, as a cookie can be stolen; except a session from a link that this machine printed, whose reader may
 * run `sekisho approve` as well.
 */
export async function needsUnlock(person: Person, dependencies: ConsoleDependencies): Promise<boolean> {
  if (!person.isOperator || person.login === 'link') return false;
  const store = await dependencies.passkeys();
  for (const { id } of await store.list()) {
    if ((await store.find(id, dependencies.now()))?.person.principal === person.principal) return true;
  }
  return false;
}
