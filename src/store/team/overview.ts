import type { Answered, Team } from '../../contract/team/team.ts';
import { countRows, listRows } from '../rows.ts';
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
      return {
        status: 'ok',
        agents: await countRows(db, 'agents'),
        projects: await countRows(db, 'projects'),
        sessions: await countRows(db, 'agent_sessions', { 'expires_at_ms >': clock() }),
        tasks: await countByStatus(db),
      };
    },

    async managedAgents() {
      const { db } = await openEngine();
      const agents = await listRows(db, 'agents', {}, { by: 'id' });
      const assignments = await listRows(db, 'assignments', {}, { by: 'project_id' });
      const live = { 'expires_at_ms >': clock() };
      const sessions = await listRows(db, 'agent_sessions', live, { by: ['created_at_ms', 'id'] });
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
      const projects = await listRows(db, 'projects', { status: 'active' }, { by: 'id' });
      const assignments = await listRows(db, 'assignments', {}, { by: 'agent_id' });
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
