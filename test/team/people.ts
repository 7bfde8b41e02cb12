import type { AgentCaller, Caller } from '../../src/contract/caller.ts';
import type { Team } from '../../src/contract/team/team.ts';
import type { Store } from '../../src/store/open-store.ts';
import { createTeamStore, type TeamStore } from '../../src/store/team/team-store.ts';

export const passkey = 'correct horse battery';
export const coordinatorToken = 'coordinator-token-for-tests';

/** A project `p` with a manager `m`, workers `a` and `b` below it, and `outsider` in a project of its own. */
export async function settle(store: TeamStore): Promise<void> {
  const { admin } = store;
  await admin.addProject({ id: 'p', name: 'Project' });
  await admin.addProject({ id: 'q', name: 'Other' });
  await admin.addAgent({ id: 'm', name: 'Mika', hierarchy: 'manager', passkey });
  for (const id of ['a', 'b']) {
    await admin.addAgent({ id, name: id.toUpperCase(), hierarchy: 'worker', parentId: 'm', passkey });
  }
  await admin.addAgent({ id: 'outsider', name: 'O', hierarchy: 'worker', passkey });
  for (const id of ['m', 'a', 'b']) await admin.assign(id, 'p');
  await admin.assign('outsider', 'q');
  await admin.setCoordinatorToken(coordinatorToken);
}

export function openTeam(store: Store, clock: () => number = Date.now): TeamStore {
  return createTeamStore({ engine: store.engine, clock });
}

const nobody: Caller = { kind: 'anonymous', principal: 'anonymous', sessionId: 'x', remote: true };

/** Authenticates and lends the team to the session; fails where there is no work. */
export async function enter(
  store: TeamStore,
  agentId: string,
  purpose: 'task' | 'chat' = 'task',
  projectId = 'p',
): Promise<{ readonly team: Team; readonly token: string; readonly caller: AgentCaller }> {
  const entry = await store
    .lend(nobody, { transport: 'http' })
    .authenticate({ agent_id: agentId, passkey, project_id: projectId, purpose });
  if (!entry.session_token) throw new Error(JSON.stringify(entry));
  const caller = await store.sessions.session(entry.session_token, { transport: 'http' });
  if (!caller) throw new Error('no caller');
  return { team: store.lend(caller, { transport: 'http' }), token: entry.session_token, caller };
}

export function strangerAt(store: TeamStore, address?: string): Team {
  return store.lend(nobody, { transport: 'http', address });
}

/** Never aborts. */
export const patient = new AbortController().signal;
