import { ConfigError } from '../../../contract/error.ts';
import type { TeamAdmin } from '../../../contract/team/admin.ts';
import { text } from '../../../contract/text/text.ts';
import { deleteRows, findRow, insertRow } from '../../rows.ts';
import type { TeamBase } from '../base.ts';
import { hashToken } from '../passkeys.ts';
import { createAgentAdmin } from './agents.ts';
import { createChatAdmin } from './chat.ts';
import { createProjectAdmin } from './projects.ts';
import { createTaskAdmin } from './tasks.ts';

/** Management of agents, projects and tasks by a person. Impossible requests throw `ConfigError` with the reason. */
export function createTeamAdmin(base: TeamBase): TeamAdmin {
  const { openEngine, clock } = base;
  return {
    ...createAgentAdmin(base),
    ...createProjectAdmin(base),
    ...createTaskAdmin(base),
    ...createChatAdmin(base),

    async setCoordinatorToken(token) {
      if (token.length < 16 || token.length > 1000) {
        throw new ConfigError(
          text(
            'The coordinator token must be 16 to 1000 characters long.',
            'コーディネータートークンは 16～1000 文字で指定してください。',
          ),
        );
      }
      const engine = await openEngine();
      await engine.write(async (tx) => {
        await deleteRows(tx, 'coordinator_tokens', {});
        await insertRow(tx, 'coordinator_tokens', { hash: hashToken(token), created_at_ms: clock() });
      });
    },

    async isCoordinatorToken(token) {
      const { db } = await openEngine();
      const row = await findRow(db, 'coordinator_tokens', { hash: hashToken(token) });
      return row !== undefined;
    },
  };
}
