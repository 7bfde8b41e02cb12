import { localTokenRole, operatorRoles } from '../../contract/caller.ts';
import type { Person } from '../../contract/people/person.ts';
import type { Engine } from '../engine.ts';
import { findRow } from '../rows.ts';
import type { TokenRow } from '../tables/tables.ts';

/** The person of a login or passkey, with the token's rights as they are now. Without a token: the local operator. */
export async function personOf(
  db: Engine['db'],
  { person, token_id: tokenId }: { readonly person: string; readonly token_id: string | null },
  nowMs: number,
): Promise<Person | undefined> {
  if (tokenId === null) return operatorOf(person);
  const token = await findRow(db, 'tokens', { id: tokenId, revoked_at_ms: null });
  return token && holderOf(token, nowMs);
}

function operatorOf(person: string): Person {
  return { name: `console:${person}`, principal: 'local', isOperator: true, face: 'console' };
}

function holderOf(token: TokenRow, nowMs: number): Person | undefined {
  if (token.expires_at_ms !== null && token.expires_at_ms <= nowMs) return undefined;
  // Programs of the person have this token too, and must not approve their own requests: operators log in by a link.
  const principal = token.role === localTokenRole ? 'local' : `user:${token.user_name}`;
  const toolsets = token.toolsets === null ? undefined : (JSON.parse(token.toolsets) as string[]);
  // A token for some toolsets does not make an operator.
  const isOperator = toolsets === undefined && token.role !== null && operatorRoles.includes(token.role);
  return { name: `console:${principal}`, principal, isOperator, toolsets, face: 'console' };
}
