import { ConfigError } from '../../../contract/error.ts';
import type { TeamAdmin } from '../../../contract/team/admin.ts';
import { text } from '../../../contract/text/text.ts';
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
        await tx.deleteFrom('coordinator_tokens').execute();
        await tx
          .insertInto('coordinator_tokens')
          .values({ hash: hashToken(token), created_at_ms: clock() })
          .execute();
      });
    },

    async isCoordinatorToken(token) {
      const { db } = await openEngine();
      const row = await db
        .selectFrom('coordinator_tokens')
        .select('hash')
        .where('hash', '=', hashToken(token))
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
