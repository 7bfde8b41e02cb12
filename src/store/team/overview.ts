import type { Answered, Team } from '../../contract/team/team.ts';
import { countRows, selectRows } from '../rows.ts';
import { type TeamBase, view } from './base.ts';
import { countByStatus } from './tasks/task-rows.ts';

/** The agents of all projects, for the program that starts them. */
export function createOverview({
  openEngine,
  clock,
}: TeamBase): Pick<Team, 'health' | 'managedAgents' | 'activeProjects'> {
  return {
    async health() {
      const { db } = await openEngine();
      const sessions = await db
        .selectFrom('agent_sessions')
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .where('expires_at_ms', '>', clock())
        .executeTakeFirstOrThrow();
      return {
        status: 'ok',
        agents: await countRows(db, 'agents'),
        projects: await countRows(db, 'projects'),
        sessions: Number(sessions.rows),
        tasks: await countByStatus(db),
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
        agents: agents.map((agent): Answered<'managedAgents'>['agents'][number] => ({
          agent_id: agent.id,
          name: agent.name,
          hierarchy: agent.hierarchy,
          status: agent.status,
          projects: assignments.filter((row) => row.agent_id === agent.id).map((row) => row.project_id),
          sessions: sessions
            .filter((row) => row.agent_id === agent.id)
            .map((row) =>
              view<Answered<'managedAgents'>['agents'][number]['sessions'][number]>({
                session_id: row.id,
                project_id: row.project_id,
                purpose: row.purpose,
                task_id: row.task_id,
              }),
            ),
        })),
      };
    },

    async activeProjects() {
      const { db } = await openEngine();
      const projects = await selectRows(db, 'projects', { status: 'active' }).orderBy('id').execute();
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
