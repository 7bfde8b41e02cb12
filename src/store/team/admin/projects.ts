import type { TeamAdmin } from '../../../contract/team/admin.ts';
import { insertNew, insertRow } from '../../rows.ts';
import { type TeamBase, type Tx, topicOf } from '../base.ts';
import { leaveProjects } from '../leaving.ts';
import { assertFree, assertId, assertThere, noSuch } from './checks.ts';

/** Management of projects and assignments by a person. */
export function createProjectAdmin({
  openEngine,
  clock,
}: TeamBase): Pick<TeamAdmin, 'projects' | 'addProject' | 'changeProject' | 'assign' | 'unassign'> {
  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const engine = await openEngine();
    return engine.write(work);
  }

  return {
    async projects() {
      const { db } = await openEngine();
      const rows = await db.selectFrom('projects').selectAll().orderBy('id').execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        workingDirectory: row.working_directory ?? undefined,
        status: row.status,
      }));
    },

    async addProject(project) {
      assertId('project', project.id);
      await write(async (tx) => {
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
      const done = await engine.write((tx) =>
        tx
          .updateTable('projects')
          .set({
            id,
            ...(change.name === undefined ? {} : { name: change.name }),
            ...('workingDirectory' in change ? { working_directory: change.workingDirectory ?? null } : {}),
            ...(change.status === undefined ? {} : { status: change.status }),
          })
          .where('id', '=', id)
          .executeTakeFirst(),
      );
      if (done.numUpdatedRows === 0n) throw noSuch('project', id);
      engine.changes.tell(topicOf(id));
    },

    async assign(agentId, projectId) {
      await write(async (tx) => {
        await assertThere(tx, 'agents', agentId);
        await assertThere(tx, 'projects', projectId);
        await insertNew(tx, 'assignments', { agent_id: agentId, project_id: projectId });
      });
    },

    async unassign(agentId, projectId) {
      const engine = await openEngine();
      const wasThere = await engine.write(async (tx) => {
        const done = await tx
          .deleteFrom('assignments')
          .where('agent_id', '=', agentId)
          .where('project_id', '=', projectId)
          .executeTakeFirst();
        if (done.numDeletedRows === 0n) return false;
        await leaveProjects(tx, engine, agentId, [projectId], clock());
        return true;
      });
      if (wasThere) engine.changes.tell(topicOf(projectId));
      return wasThere;
    },
  };
}
