import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id } from '../shapes.ts';

export const getNotifications = defineTool({
  name: 'get_notifications',
  category: 'profile',
  title: text('Notifications', '通知'),
  description: text(
    'Unread notifications; ack those that you have read.',
    '未読の通知。読んだものは ack で既読にします。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    ack: z.array(id).max(100).optional().describe('Read ones, ["ntf_…"].'),
  }),
  output: z.object({
    notifications: z.array(
      z.object({
        notification_id: z.string(),
        kind: z.string(),
        message: z.string(),
        task_id: z.string().optional(),
        sent_at: z.string(),
      }),
    ),
    more: z.boolean(),
  }),
  ja: { ack: '既読にするもの。例: ["ntf_7k2m9q4x3v5w"]。' },
  example: {},

  run: (input, { team }) => team.notifications(input),
});
