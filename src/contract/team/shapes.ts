import * as z from 'zod';
import { text } from '../text/text.ts';
import { inputRule } from '../tool/input-rule.ts';
import { taskStatuses, teamLimits } from './tasks.ts';

/** Any id: people name agents and projects, the server names the rest. */
export const id = z
  .string()
  .min(1)
  .max(64)
  .refine(
    (words) => !words.includes('\0'),
    inputRule(text('must not contain a NUL character', 'NUL 文字を含められません')),
  );
export const title = z.string().trim().min(1).max(teamLimits.titleChars);
export const description = z.string().max(teamLimits.descriptionChars);
export const reason = z.string().trim().min(1).max(teamLimits.reasonChars);
export const purpose = z.enum(['task', 'chat']);
export const status = z.enum(taskStatuses);
export const counts = z.record(z.string(), z.number());

export const nothing = z.object({});
export const done = z.object({ success: z.boolean() });

export const task = z.object({
  task_id: z.string(),
  title: z.string(),
  status,
  description: z.string().optional(),
  parent_task_id: z.string().optional(),
  assignee_id: z.string().optional(),
  created_by: z.string(),
  depends_on: z.array(z.string()).optional(),
  subtasks: counts.optional(),
  result: z.string().optional(),
  summary: z.string().optional(),
  reason: z.string().optional(),
  lease_expires_at: z.string().optional(),
});

export const profile = z.object({
  agent_id: z.string(),
  name: z.string(),
  hierarchy: z.string(),
  parent_id: z.string().optional(),
  projects: z.array(z.string()),
  status: z.string(),
  max_parallel_tasks: z.number(),
  tasks_in_progress: z.number(),
  model: z.string().optional(),
});

export const message = z.object({
  message_id: z.string(),
  conversation_id: z.string(),
  from: z.string(),
  to: z.string(),
  content: z.string(),
  sent_at: z.string(),
});

export const conversation = z.object({
  conversation_id: z.string(),
  with: z.string(),
  purpose: z.string(),
  status: z.string(),
  turns: z.number(),
  max_turns: z.number(),
  outcome: z.string().optional(),
});

export const delegation = z.object({
  delegation_id: z.string(),
  target_agent_id: z.string(),
  purpose: z.string(),
  status: z.string(),
  context: z.string().optional(),
  result: z.string().optional(),
});

/** The result of writing in a conversation. */
export const sent = z.object({
  message_id: z.string(),
  conversation_id: z.string(),
  status: z.string(),
  turns: z.number(),
  max_turns: z.number(),
  reminder: z.string().optional(),
});
