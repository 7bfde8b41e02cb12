import * as z from 'zod';
import { inputRule } from '../tool/input-rule.ts';
import { taskStatuses, teamLimits } from './tasks.ts';

/** Any id: people name agents and projects, the server names the rest. */
export const id = z
  .string()
  .min(1)
  .max(64)
  .refine(
    (words) => !words.includes('\0'),
    inputRule('must not contain a NUL character', 'NUL 文字を含められません'),
  );
export const title = z.string().trim().min(1).max(teamLimits.titleChars);
export const description = z.string().max(teamLimits.descriptionChars);
export const reason = z.string().trim().min(1).max(teamLimits.reasonChars);
export const purpose = z.enum(['task', 'chat']);
export const status = z.enum(taskStatuses);
export const counts = z.record(z.string(), z.number());

/** The fields of these names, each a text. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>;
}

/** The same, each of which may be missing. */
export function maybe<const Name extends string>(...names: readonly Name[]) {
  const fields = names.map((name) => [name, z.string().optional()]);
  return Object.fromEntries(fields) as Record<Name, z.ZodOptional<z.ZodString>>;
}

export const done = { success: z.boolean() };

export const task = z.object({
  ...texts('task_id', 'title'),
  status,
  ...maybe('description', 'parent_task_id', 'assignee_id'),
  created_by: z.string(),
  depends_on: z.array(z.string()).optional(),
  subtasks: counts.optional(),
  ...maybe('result', 'summary', 'reason', 'lease_expires_at'),
});

export const profile = z.object({
  ...texts('agent_id', 'name', 'hierarchy'),
  ...maybe('parent_id'),
  projects: z.array(z.string()),
  status: z.string(),
  max_parallel_tasks: z.number(),
  tasks_in_progress: z.number(),
  ...maybe('model'),
});

export const message = z.object(texts('message_id', 'conversation_id', 'from', 'to', 'content', 'sent_at'));

const turns = { turns: z.number(), max_turns: z.number() };

export const conversation = z.object({
  ...texts('conversation_id', 'with', 'purpose', 'status'),
  ...turns,
  ...maybe('outcome'),
});

export const delegation = z.object({
  ...texts('delegation_id', 'target_agent_id', 'purpose', 'status'),
  ...maybe('context', 'result'),
});

/** The result of writing in a conversation. */
export const sent = { ...texts('message_id', 'conversation_id', 'status'), ...turns, ...maybe('reminder') };
