import type { Flags } from '../../config/settings.ts';
import { oneOf } from '../../contract/error.ts';
import type { TeamAdmin } from '../../contract/team/admin.ts';
import { taskStatuses } from '../../contract/team/tasks.ts';
import { text } from '../../contract/text/text.ts';
import type { Options } from '../common/options.ts';
import { say, sayJson, sayList, sayRow } from '../common/say.ts';
import { wholeId } from '../common/whole-id.ts';
import { withTeam } from './with-team.ts';

export function addTask(flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const id = await admin.addTask({
      projectId: String(options.project),
      title: String(options.title),
      description: options.description as string | undefined,
      assigneeId: options.assign as string | undefined,
      start: options.start === true,
    });
    if (options.json) sayJson({ task_id: id });
    else say(id);
    return 0;
  });
}

export function listTasks(flags: Flags, options: Options): Promise<number> {
  const { status: named } = options;
  const status = named === undefined ? undefined : oneOf('--status', named, taskStatuses);
  return withTeam(flags, async (admin) => {
    const tasks = await admin.tasks({ projectId: options.project as string | undefined, status });
    sayList(tasks, options, (task) => {
      const { task_id, status, project_id, assignee_id = '-', title } = task;
      return [task_id, status, project_id, assignee_id, title];
    });
    return 0;
  });
}

export function showTask(id: string, flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const { task, events } = await admin.task(await taskId(admin, id));
    if (options.json) {
      sayJson({ task, events });
      return 0;
    }
    for (const [key, value] of Object.entries(task)) {
      sayRow([`${key}: ${typeof value === 'object' ? JSON.stringify(value) : value}`]);
    }
    for (const event of events) {
      const change = event.from === undefined ? (event.to ?? '') : `${event.from} → ${event.to}`;
      sayRow([event.at, event.by, event.what, change, event.reason ?? '']);
    }
    return 0;
  });
}

export function assignTask(id: string, agentId: string | undefined, flags: Flags): Promise<number> {
  return withTeam(flags, async (admin) => {
    const whole = await taskId(admin, id);
    await admin.assignTask(whole, agentId);
    say(
      agentId === undefined
        ? text(`${whole} is free.`, `${whole} を担当なしにしました。`)
        : text(`${whole} is for ${agentId}.`, `${whole} を ${agentId} の担当にしました。`),
    );
    return 0;
  });
}

export function cancelTask(id: string, flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const whole = await taskId(admin, id);
    await admin.cancelTask(whole, options.reason as string | undefined);
    say(`${whole} is cancelled.`, `${whole} を取り消しました。`);
    return 0;
  });
}

async function taskId(admin: TeamAdmin, given: string): Promise<string> {
  const tasks = await admin.tasks({});
  return wholeId(
    given,
    tasks.map((task) => task.task_id),
  );
}
