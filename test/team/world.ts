import type { Reply } from '../../src/contract/call.ts';
import { openTestCheckpoint, outputOf, type World } from '../support/open-test-checkpoint.ts';
import { coordinatorToken, passkey, settle } from './people.ts';

/** Somebody as the transport sees them, with the token that they pass as an argument or a header. */
export interface Person {
  readonly session_token?: string;
  readonly coordinator_token?: string;
}

/** A checkpoint that serves agents, with people in it; see `settle`. */
export async function openTeamCheckpoint(world: World = {}) {
  const opened = await openTestCheckpoint({
    ...world,
    config: { toolsets: ['collaboration'], ...world.config },
  });
  const store = await opened.checkpoint.team.open();
  await settle(store);
  const http = { transport: 'http', address: '192.0.2.9' } as const;

  function callAs(person: Person, tool: string, input: object = {}): Promise<Reply> {
    return opened.call(tool, { ...input, ...person }, { arrival: http });
  }

  async function authenticate(agentId: string, purpose?: 'task' | 'chat'): Promise<Person> {
    const reply = await callAs({}, 'authenticate', {
      agent_id: agentId,
      passkey,
      project_id: 'p',
      ...(purpose ? { purpose } : {}),
    });
    const { session_token } = outputOf(reply) as { session_token?: string };
    if (session_token === undefined) throw new Error(JSON.stringify(outputOf(reply)));
    return { session_token };
  }

  return {
    ...opened,
    store,
    admin: store.admin,
    http,
    callAs,
    authenticate,
    coordinator: { coordinator_token: coordinatorToken },
  };
}
