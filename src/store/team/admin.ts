import { ConfigError } from '../../contract/error.ts';
import type { Hierarchy } from '../../contract/team.ts';
import type { AgentInput, ProjectInput, TeamAdmin } from '../../contract/team-admin.ts';
import type { Engine } from '../engine.ts';
import { nulInText } from '../errors.ts';
import type { TaskRow } from '../tables-team.ts';
import { type TeamBase, type Tx, topicOf } from './base.ts';
import { insertTask } from './create-tasks.ts';
import { leaveProjects } from './leaving.ts';
import { hashPasskey, hashToken, isPasskeyOf } from './passkeys.ts';
import { briefTask, fullTask } from './task-rows.ts';
import { eventsOf } from './tasks.ts';
import { moveTask, recordEvent } from './transition.ts';

/** Agents, projects and tasks in the hands of a person. What cannot be is a `ConfigError` that says why. */
export function createTeamAdmin({ openEngine, clock }: TeamBase): TeamAdmin {
  async function write<T>(work: (tx: Tx, engine: Engine) => Promise<T>): Promise<T> {
    const engine = await openEngine();
    return engine.write((tx) => work(tx, engine));
  }

  async function changeTask<T>(
    id: string,
    work: (tx: Tx, engine: Engine, task: TaskRow) => Promise<T>,
  ): Promise<T> {
    const engine = await openEngine();
    const { value, projectId } = await engine.write(async (tx) => {
      const task = await engine
        .lock(tx.selectFrom('tasks').selectAll().where('id', '=', id))
        .executeTakeFirst();
      if (!task) throw new ConfigError(`There is no task ${JSON.stringify(id)}.`);
      return { value: await work(tx, engine, task), projectId: task.project_id };
    });
    engine.changes.tell(topicOf(projectId));
    return value;
  }

  return {
    async agents() {
      const { db } = await openEngine();
      const rows = await db.selectFrom('agents').selectAll().orderBy('id').execute();
      const assignments = await db.selectFrom('assignments').selectAll().orderBy('project_id').execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        hierarchy: row.hierarchy as Hierarchy,
        parentId: row.parent_id ?? undefined,
        status: row.status,
        maxParallelTasks: row.max_parallel_tasks,
        projects: assignments.filter((one) => one.agent_id === row.id).map((one) => one.project_id),
      }));
    },

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

    async addAgent(agent) {
      assertAgent(agent);
      const passkeyHash = await hashPasskey(agent.passkey);
      await write(async (tx) => {
        await assertFree(tx, 'agents', agent.id);
        if (agent.parentId !== undefined) await assertParent(tx, agent.id, agent.parentId);
        await tx
          .insertInto('agents')
          .values({
            id: agent.id,
            name: agent.name,
            hierarchy: agent.hierarchy,
            parent_id: agent.parentId ?? null,
            status: 'active',
            max_parallel_tasks: agent.maxParallelTasks ?? 1,
            passkey_hash: passkeyHash,
            model: null,
            created_at_ms: clock(),
          })
          .execute();
      });
    },

    async changeAgent(id, change) {
      assertAgent(change);
      const passkeyHash = change.passkey === undefined ? undefined : await hashPasskey(change.passkey);
      await write(async (tx) => {
        if (change.parentId !== undefined) await assertParent(tx, id, change.parentId);
        if (change.hierarchy === 'worker') await assertNobodyBelow(tx, id);
        const done = await tx
          .updateTable('agents')
          .set({
            id,
            ...(change.name === undefined ? {} : { name: change.name }),
            ...(change.hierarchy === undefined ? {} : { hierarchy: change.hierarchy }),
            ...('parentId' in change ? { parent_id: change.parentId ?? null } : {}),
            ...(change.maxParallelTasks === undefined ? {} : { max_parallel_tasks: change.maxParallelTasks }),
            ...(passkeyHash === undefined ? {} : { passkey_hash: passkeyHash }),
          })
          .where('id', '=', id)
          .executeTakeFirst();
        if (done.numUpdatedRows === 0n) throw new ConfigError(`There is no agent ${JSON.stringify(id)}.`);
        // Whoever knew the old passkey is sent away.
        if (passkeyHash !== undefined) {
          await tx.deleteFrom('agent_sessions').where('agent_id', '=', id).execute();
        }
      });
    },

    async removeAgent(id) {
      const engine = await openEngine();
      const { isGone, projects } = await engine.write(async (tx) => {
        await assertNobodyBelow(tx, id);
        const projects = await projectsOf(tx, id);
        await leaveProjects(tx, engine, id, projects, clock());
        const done = await tx.deleteFrom('agents').where('id', '=', id).executeTakeFirst();
        return { isGone: done.numDeletedRows > 0n, projects };
      });
      for (const projectId of projects) engine.changes.tell(topicOf(projectId));
      return isGone;
    },

    async addProject(project) {
      assertId('project', project.id);
      await write(async (tx) => {
        await assertFree(tx, 'projects', project.id);
        await tx
          .insertInto('projects')
          .values({
            id: project.id,
            name: project.name,
            working_directory: project.workingDirectory ?? null,
            status: project.status ?? 'active',
            created_at_ms: clock(),
          })
          .execute();
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
      if (done.numUpdatedRows === 0n) throw new ConfigError(`There is no project ${JSON.stringify(id)}.`);
      engine.changes.tell(topicOf(id));
    },

    async assign(agentId, projectId) {
      await write(async (tx) => {
        await assertThere(tx, 'agents', agentId);
        await assertThere(tx, 'projects', projectId);
        await tx
          .insertInto('assignments')
          .values({ agent_id: agentId, project_id: projectId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
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

    async setCoordinatorToken(token) {
      if (token.length < 16 || token.length > 1000) {
        throw new ConfigError('The coordinator token must be 16 to 1000 characters long.');
      }
      await write(async (tx) => {
        await tx.deleteFrom('coordinator_tokens').execute();
        await tx
          .insertInto('coordinator_tokens')
          .values({ hash: hashToken(token), created_at_ms: clock() })
          .execute();
      });
    },

    async isPasskey(agentId, passkey) {
      const { db } = await openEngine();
      const row = await db
        .selectFrom('agents')
        .select('passkey_hash')
        .where('id', '=', agentId)
        .executeTakeFirst();
      return isPasskeyOf(row?.passkey_hash, passkey);
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

    async addTask({ projectId, title, description, assigneeId, start }) {
      if (title.trim() === '' || title.length > 200)
        throw new ConfigError('--title must be 1 to 200 characters long.');
      const engine = await openEngine();
      const id = await engine.write(async (tx) => {
        await assertThere(tx, 'projects', projectId);
        if (assigneeId !== undefined) await assertAssigned(tx, assigneeId, projectId);
        const task = await insertTask(tx, {
          projectId,
          parentId: null,
          title,
          description: description ?? '',
          status: 'todo',
          assigneeId: assigneeId ?? null,
          by: 'person',
          nowMs: clock(),
        });
        if (start) await moveTask(tx, engine, task, { to: 'in_progress', by: 'person', nowMs: clock() });
        return task.id;
      });
      engine.changes.tell(topicOf(projectId));
      return id;
    },

    async tasks({ projectId, status }) {
      const { db } = await openEngine();
      let query = db.selectFrom('tasks').selectAll();
      if (projectId !== undefined) query = query.where('project_id', '=', projectId);
      if (status !== undefined) query = query.where('status', '=', status);
      const rows = await query.orderBy('seq', 'desc').limit(listed).execute();
      return rows.toReversed().map((row) => ({ ...briefTask(row), project_id: row.project_id }));
    },

    async task(id) {
      const { db } = await openEngine();
      const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) throw new ConfigError(`There is no task ${JSON.stringify(id)}.`);
      return {
        task: { ...(await fullTask(db, row)), project_id: row.project_id },
        events: await eventsOf(db, id),
      };
    },

    async assignTask(id, agentId) {
      await changeTask(id, async (tx, engine, task) => {
        if (agentId !== undefined) await assertAssigned(tx, agentId, task.project_id);
        if (task.status === 'done' || task.status === 'cancelled') {
          throw new ConfigError(`Task ${id} is ${task.status}.`);
        }
        const set = { assignee_id: agentId ?? null, is_claimed: 0, fence: task.fence + 1 };
        if (task.status === 'in_progress') {
          await moveTask(tx, engine, task, { to: 'todo', by: 'person', nowMs: clock(), set });
          return;
        }
        await tx
          .updateTable('tasks')
          .set({ ...set, changed_at_ms: clock() })
          .where('id', '=', id)
          .execute();
        await recordEvent(
          tx,
          { ...task, ...set },
          { what: 'assigned', by: 'person', nowMs: clock(), from: task.status, reason: agentId ?? 'nobody' },
        );
      });
    },

    async cancelTask(id, reason) {
      await changeTask(id, async (tx, engine, task) => {
        const move = { by: 'person', nowMs: clock(), reason };
        const stopped =
          task.status === 'in_progress'
            ? await moveTask(tx, engine, task, { ...move, to: 'todo', set: { fence: task.fence + 1 } })
            : task;
        await moveTask(tx, engine, stopped, { ...move, to: 'cancelled' });
      });
    },
  };
}

function assertAgent(agent: Partial<AgentInput>): void {
  if (agent.id !== undefined) assertId('agent', agent.id);
  if (agent.passkey !== undefined) {
    if (agent.passkey.includes('\0')) throw nulInText();
    if (agent.passkey.length < 8 || agent.passkey.length > 1000) {
      throw new ConfigError('A passkey must be 8 to 1000 characters long.');
    }
  }
  const most = agent.maxParallelTasks;
  if (most !== undefined && (!Number.isInteger(most) || most < 1 || most > 1000)) {
    throw new ConfigError(`max_parallel_tasks must be a whole number from 1 to 1000, got ${most}.`);
  }
}

/** Ids stand in topics, headers and command lines. */
function assertId(kind: 'agent' | 'project', id: ProjectInput['id']): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(id)) return;
  throw new ConfigError(
    `The id of ${kind} must be 1 to 64 letters, digits or . _ -, got ${JSON.stringify(id)}.`,
  );
}

async function assertFree(tx: Tx, table: 'agents' | 'projects', id: string): Promise<void> {
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (row) throw new ConfigError(`${id} is there already in ${table}.`);
}

async function assertThere(tx: Tx, table: 'agents' | 'projects', id: string): Promise<void> {
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (!row)
    throw new ConfigError(`There is no ${table === 'agents' ? 'agent' : 'project'} ${JSON.stringify(id)}.`);
}

async function assertAssigned(tx: Tx, agentId: string, projectId: string): Promise<void> {
  const row = await tx
    .selectFrom('assignments')
    .select('agent_id')
    .where('agent_id', '=', agentId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (!row)
    throw new ConfigError(`Agent ${JSON.stringify(agentId)} is not assigned to project ${projectId}.`);
}

async function assertNobodyBelow(tx: Tx, id: string): Promise<void> {
  const below = await tx
    .selectFrom('agents')
    .select('id')
    .where('parent_id', '=', id)
    .orderBy('id')
    .execute();
  if (below.length === 0) return;
  throw new ConfigError(`Agent ${id} has subordinates: ${below.map((row) => row.id).join(', ')}.`);
}

/** Where it is assigned, and where it has tasks from a time when it was. */
async function projectsOf(tx: Tx, agentId: string): Promise<readonly string[]> {
  const assigned = await tx
    .selectFrom('assignments')
    .select('project_id')
    .where('agent_id', '=', agentId)
    .execute();
  const working = await tx
    .selectFrom('tasks')
    .select('project_id')
    .distinct()
    .where('assignee_id', '=', agentId)
    .execute();
  return [...new Set([...assigned, ...working].map((row) => row.project_id))];
}

/** A parent is a manager, and nobody stands above themselves. */
async function assertParent(tx: Tx, id: string, parentId: string): Promise<void> {
  const parent = await tx.selectFrom('agents').selectAll().where('id', '=', parentId).executeTakeFirst();
  if (parent?.hierarchy !== 'manager')
    throw new ConfigError(`The parent ${JSON.stringify(parentId)} is no manager.`);
  for (let at: string | null = parentId; at !== null; ) {
    if (at === id) throw new ConfigError(`Agent ${id} would stand above itself.`);
    const row: { parent_id: string | null } | undefined = await tx
      .selectFrom('agents')
      .select('parent_id')
      .where('id', '=', at)
      .executeTakeFirst();
    at = row?.parent_id ?? null;
  }
}

const listed = 1000;
