import * as z from 'zod';
import { cleanText } from '../../../contract/text/clean-text.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { stateOf, stateOutput } from './background.ts';

export const bashList = defineTool({
  name: 'bash_list',
  category: 'shell',
  title: text('List background commands', 'バックグラウンド一覧'),
  description: text('List background commands.', 'このセッションのバックグラウンドのコマンドを一覧します。'),
  permission: 'authenticated',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['commands'],
  input: z.object({}),
  output: z.object({
    processes: z.array(
      z.object({
        process_id: z.string(),
        command: z.string(),
        started_at: z.string().describe('e.g. "2026-02-21T09:30:00.000Z".'),
        ...stateOutput,
      }),
    ),
  }),
  ja: { 'processes.started_at': '例: "2026-02-21T09:30:00.000Z"' },
  example: {},
  render: ({ processes }, locale) =>
    processes.length === 0
      ? text('None.', 'ありません。')[locale]
      : processes
          .map(({ process_id: id, command, running, exit_code: code }) => {
            const state = running
              ? text('running', '実行中')
              : text(`exit code ${code}`, `終了コード ${code}`);
            return `${id}\t${state[locale]}\t${command}`;
          })
          .join('\n'),

  async run(_input, { commands }) {
    return {
      processes: commands.backgrounds().map((command) => ({
        process_id: command.id,
        command: cleanText(command.command),
        started_at: new Date(command.startedAtMs).toISOString(),
        ...stateOf(command),
      })),
    };
  },
});
