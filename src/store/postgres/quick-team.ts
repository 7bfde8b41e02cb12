import type { TaskRow } from '../tables/team.ts';
import type { FoundSession, QuickTeam } from '../team/quick.ts';
import type { Lane } from './lane.ts';

/** The team's most frequent calls as one or two statements each, which check whether the plain case applies. */
export function createQuickTeam(lane: Lane): QuickTeam {
  return {
    sessions: (hash) => lane.go<FoundSession>({ statement: 'find_session', values: [hash] }),

    async touch({ id, agent_id, project_id }, { nowMs, expiresAtMs, leaseUntilMs }) {
      const values = [id, agent_id, project_id, nowMs, expiresAtMs, leaseUntilMs];
      return (await lane.go({ statement: 'touch', values })) !== undefined;
    },

    async claim({ sessionId, agentId, projectId, nowMs }, leaseUntilMs) {
      const rows = await lane.go<TaskRow & { depends_on: string[]; subtasks: Record<string, number> }>(
        { statement: 'lock_agent', values: [sessionId] },
        { statement: 'claim', values: [sessionId, agentId, projectId, nowMs, leaseUntilMs] },
      );
      const [found] = rows ?? [];
      if (!found) return undefined;
      const { depends_on: dependsOn, subtasks, ...task } = found;
      return { task, dependsOn, subtasks };
    },

    async report({ sessionId, agentId, projectId, nowMs }, { to, result, summary, reason }) {
      const rows = await lane.go<{ id: string }>(
        { statement: 'lock_task', values: [sessionId] },
        { statement: 'report', values: [sessionId, agentId, projectId, nowMs, to, result, summary, reason] },
      );
      return rows?.[0]?.id;
    },
  };
}

// Columns are listed: a newer server may add some while we run.
const sessionColumns = `s.id, s.hash, s.agent_id, s.project_id, s.purpose, s.task_id, s.fence, s.has_read_task,
  s.selected_action, s.selected_at_event, s.spawn_id, s.created_at_ms, s.used_at_ms, s.expires_at_ms, s.ends_at_ms`;
const taskColumns = `t.seq, t.id, t.project_id, t.parent_id, t.title, t.description, t.status, t.assignee_id,
  t.created_by, t.is_claimed, t.lease_session_id, t.lease_expires_at_ms, t.fence, t.result, t.summary, t.reason,
  t.created_at_ms, t.changed_at_ms`;

const sessionText = `
  select ${sessionColumns}, a.hierarchy, (
    with recursive up (parent_id, created_by, depth) as (
      select t.parent_id, t.created_by, 0 from tasks t where t.id = s.task_id
      union all
      select w.parent_id, w.created_by, up.depth + 1 from tasks w join up on w.id = up.parent_id where up.depth < 16
    ) select string_agg(created_by, ' ' order by depth desc) from up) as given_by
  from agent_sessions s join agents a on a.id = s.agent_id where s.hash = $1`;

const touchText = `
  with used as (update agent_sessions set used_at_ms = $4, expires_at_ms = $5 where id = $1)
  update tasks set lease_expires_at_ms = $6
  where assignee_id = $2 and project_id = $3 and status = 'in_progress' and lease_session_id = $1`;

/** A separate statement, so that the next one counts the agent's tasks after others' changes are locked out. */
const lockAgentText = `
  select s.id from agent_sessions s join agents a on a.id = s.agent_id where s.id = $1 for update nowait`;

/**
 * The query asks for a range of one project and any one status, ordered by project and number, which only an index of
 * free tasks supports. With outdated statistics the planner would choose others and read all tasks, or all that wait.
 */
const claimText = `
  with me as (
    select s.task_id from agent_sessions s join agents a on a.id = s.agent_id
    where s.id = $1 and s.expires_at_ms > $4
      and not exists (select from tasks h
        where h.id = s.task_id and h.fence = s.fence and h.status in ('todo', 'in_progress'))
      and (select count(*) from tasks r where r.assignee_id = $2 and r.status = 'in_progress') < a.max_parallel_tasks
  ), free as (
    select t.id from tasks t
    where exists (select from me)
      and t.project_id between $3 and $3 and t.status = any ('{todo}') and t.assignee_id is null
      and not exists (select from task_dependencies d join tasks n on n.id = d.depends_on_id
        where d.task_id = t.id and n.status <> 'done')
    order by t.project_id, t.seq limit 1 for update of t skip locked
  ), mine as (
    update tasks t
    set assignee_id = $2, status = 'in_progress', is_claimed = 1, lease_session_id = $1, lease_expires_at_ms = $5,
      fence = t.fence + 1, result = null, summary = null, reason = null, changed_at_ms = $4
    from free where t.id = free.id
    returning ${taskColumns}
  ), told as (
    insert into task_events (project_id, task_id, at_ms, by_whom, what, from_status, to_status, fence, reason)
    select project_id, id, $4, $2, 'claimed', 'todo', status, fence, null from mine
  ), bound as (
    update agent_sessions s
    set task_id = mine.id, fence = mine.fence,
      has_read_task = case when s.task_id = mine.id then s.has_read_task else 0 end,
      selected_action = case when s.task_id = mine.id then s.selected_action end
    from mine where s.id = $1
  )
  select mine.*,
    array(select depends_on_id from task_dependencies d where d.task_id = mine.id order by 1) as depends_on,
    coalesce((select json_object_agg(status, n order by status) from
      (select c.status, count(*) as n from tasks c where c.parent_id = mine.id group by c.status) as parts), '{}') as subtasks
  from mine`;

/** Locks both rows before reading the task's parts, so that none can be added meanwhile. */
const lockTaskText = `
  select t.id from agent_sessions s join tasks t on t.id = s.task_id where s.id = $1 for update nowait`;

/** `is true` keeps the planner from reading all tasks in progress, which outdated statistics underestimate. */
const reportText = `
  with mine as (
    update tasks t
    set status = $5, result = $6, summary = $7, reason = $8, lease_session_id = null, lease_expires_at_ms = null,
      changed_at_ms = $4
    from agent_sessions s
    where s.id = $1 and s.expires_at_ms > $4 and t.id = s.task_id and t.fence = s.fence
      and (t.project_id = $3 and t.status = 'in_progress') is true and t.parent_id is null
      and ($5 = 'done' or t.created_by in ('person', $2))
      and not exists (select from tasks c
        where c.parent_id = t.id and c.status in ('backlog', 'todo', 'in_progress', 'blocked'))
    returning t.id, t.project_id, t.status, t.fence, t.reason
  ), told as (
    insert into task_events (project_id, task_id, at_ms, by_whom, what, from_status, to_status, fence, reason)
    select project_id, id, $4, $2, 'status', 'in_progress', status, fence, reason from mine
  )
  select id from mine`;

/** The statements that each connection plans, by name. */
export const quickTeamStatements = {
  find_session: sessionText,
  touch: touchText,
  lock_agent: lockAgentText,
  claim: claimText,
  lock_task: lockTaskText,
  report: reportText,
};
