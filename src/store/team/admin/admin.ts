import { ConfigError } from '../../../contract/error.ts';
import type { TeamAdmin } from '../../../contract/team/admin.ts';
import {
  deleteRows,
  findRow,
  given,
  insertNew,
  insertRow,
  listRows,
  updateRows,
  writeTo,
} from '../../rows.ts';
import { type TeamBase, topicOf } from '../base.ts';
import { leaveProjects } from '../leaving.ts';
import { hashToken } from '../passkeys.ts';
import { createAgentAdmin } from './agents.ts';
import { createChatAdmin } from './chat.ts';
import { assertFree, assertId, assertThere, noSuch } from './checks.ts';
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
      if (token.length < 16 || token.length > 1000)
        throw new ConfigError(
          'The coordinator token must be 16 to 1000 characters long.',
          'コーディネータートークンは 16～1000 文字で指定してください。',
        );
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

/** Management of projects and assignments by a person. */
function createProjectAdmin({
  openEngine,
  clock,
}: TeamBase): Pick<TeamAdmin, 'projects' | 'addProject' | 'changeProject' | 'assign' | 'unassign'> {
  return {
    async projects() {
      const { db } = await openEngine();
      const rows = await listRows(db, 'projects', {}, { by: 'id' });
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        workingDirectory: row.working_directory ?? undefined,
        status: row.status,
      }));
    },

    async addProject(project) {
      assertId('project', project.id);
      await writeTo(openEngine, async (tx) => {
        await assertFree(tx, 'projects', project.id);
        await insertRow(tx, 'projects', {
          id: project.id,
          name: project.name,
          working_directory: project.workingDirectory ?? null,
          status: project.status ?? 'active',
          created_at_ms: clock(),
        });
      });
    },

    async changeProject(id, change) {
      const engine = await openEngine();
      const { name, status, workingDirectory = null } = change;
      const folder = 'workingDirectory' in change ? workingDirectory : undefined;
      const set = given({ id, name, status, working_directory: folder });
      const changed = await engine.write((tx) => updateRows(tx, 'projects', { id }, set));
      if (changed === 0) throw noSuch('project', id);
      engine.changes.tell(topicOf(id));
    },

    async assign(agentId, projectId) {
      await writeTo(openEngine, async (tx) => {
        await assertThere(tx, 'agents', agentId);
        await assertThere(tx, 'projects', projectId);
        await insertNew(tx, 'assignments', { agent_id: agentId, project_id: projectId });
      });
    },

    async unassign(agentId, projectId) {
      const engine = await openEngine();
      const wasThere = await engine.write(async (tx) => {
        const one = { agent_id: agentId, project_id: projectId };
        if ((await deleteRows(tx, 'assignments', one)) === 0) return false;
        await leaveProjects(tx, engine, agentId, [projectId], clock());
        return true;
      });
      if (wasThere) engine.changes.tell(topicOf(projectId));
      return wasThere;
    },
  };
}
