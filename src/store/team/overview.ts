import type { ManagedAgent } from '../../contract/team/coordination.ts';
import { type TeamBase, view } from './base.ts';

/** The agents of all projects, for the program that starts them. */
export function createOverview({ openEngine, clock }: TeamBase) {
  return {
    async health() {
      const { db } = await openEngine();
      const count = async (table: 'agents' | 'projects') =>
        Number(
          (
            await db
              .selectFrom(table)
              .select(({ fn }) => fn.countAll<number>().as('rows'))
              .executeTakeFirstOrThrow()
          ).rows,
        );
      const sessions = await db
        .selectFrom('agent_sessions')
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .where('expires_at_ms', '>', clock())
        .executeTakeFirstOrThrow();
      const tasks = await db
        .selectFrom('tasks')
        .select(({ fn }) => ['status', fn.countAll<number>().as('rows')])
        .groupBy('status')
        .orderBy('status')
        .execute();
      return {
        status: 'ok',
        agents: await count('agents'),
        projects: await count('projects'),
        sessions: Number(sessions.rows),
        tasks: Object.fromEntries(tasks.map((row) => [row.status, Number(row.rows)])),
      };
    },

    async managedAgents() {
      const { db } = await openEngine();
      const agents = await db.selectFrom('agents').selectAll().orderBy('id').execute();
      const assignments = await db.selectFrom('assignments').selectAll().orderBy('project_id').execute();
      const sessions = await db
        .selectFrom('agent_sessions')
        .selectAll()
        .where('expires_at_ms', '>', clock())
        .orderBy('created_at_ms')
        .orderBy('id')
        .execute();
      return {
        agents: agents.map(
          (agent): ManagedAgent => ({
            agent_id: agent.id,
            name: agent.name,
            hierarchy: agent.hierarchy,
            status: agent.status,
            projects: assignments.filter((row) => row.agent_id === agent.id).map((row) => row.project_id),
            sessions: sessions
              .filter((row) => row.agent_id === agent.id)
              .map((row) =>
                view<ManagedAgent['sessions'][number]>({
                  session_id: row.id,
                  project_id: row.project_id,
                  purpose: row.purpose,
                  task_id: row.task_id,
                }),
              ),
          }),
        ),
      };
    },

    async activeProjects() {
      const { db } = await openEngine();
      const projects = await db
        .selectFrom('projects')
        .selectAll()
        .where('status', '=', 'active')
        .orderBy('id')
        .execute();
      const assignments = await db.selectFrom('assignments').selectAll().orderBy('agent_id').execute();
      return {
        projects: projects.map((project) => ({
          project_id: project.id,
          name: project.name,
          ...(project.working_directory === null ? {} : { working_directory: project.working_directory }),
          agents: assignments.filter((row) => row.project_id === project.id).map((row) => row.agent_id),
        })),
      };
    },
  };
}
