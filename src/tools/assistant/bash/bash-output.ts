import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { backgroundOf, networkOf, processIdInput, stateOf, stateOutput } from './background.ts';

export const bashOutput = defineTool({
  name: 'bash_output',
  category: 'shell',
  title: text('Read a background command', 'バックグラウンドの出力を読む'),
  description: text(
    "Read a background command's output or wait for its end.",
    'バックグラウンドのコマンドの、cursor 以降の出力を読みます。終了を待つこともできます。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['commands'],
  input: z.object({
    process_id: processIdInput.describe('From bash.'),
    cursor: z.number().int().min(0).default(0).describe('next_cursor.'),
    wait: z.number().int().min(0).max(45).default(0).describe('Seconds.'),
  }),
  output: z.object({
    output: z.string(),
    next_cursor: z.number().int(),
    more: z.literal(true).optional().describe('Read on at next_cursor now.'),
    dropped_bytes: z.number().int().optional().describe('Output that was too much to keep.'),
    ...stateOutput,
  }),
  ja: {
    process_id: 'bash が返した ID。',
    cursor: '前回の next_cursor。',
    wait: '終了を待つ秒数。45 まで。',
    more: '続きがすでにあり、next_cursor で読める。',
    dropped_bytes: '多すぎて保持できなかった出力。',
  },
  example: { process_id: 'bg_1', wait: 10 },
  render: ({ output, running, exit_code: code, next_cursor: next, more }, locale) => {
    const state = more
      ? text(`[more follows: cursor ${next}]`, `[続きは cursor ${next}]`)
      : running
        ? text(`[running; cursor ${next}]`, `[実行中、cursor ${next}]`)
        : text(`[ended with exit code ${code}]`, `[終了コード ${code} で終了]`);
    return output === '' ? state[locale] : `${output}\n${state[locale]}`;
  },

  async run({ process_id, cursor, wait }, { commands, signal, audit, replyBytes }) {
    const command = backgroundOf(commands, process_id);
    if (wait > 0) await command.wait(wait * 1000, signal);
    audit({ process: process_id, ...networkOf(command) });
    const { text: output, nextCursor, droppedBytes, more } = command.read(cursor, replyBytes);
    return {
      output,
      next_cursor: nextCursor,
      ...(more && { more: true as const }),
      ...(droppedBytes > 0 && { dropped_bytes: droppedBytes }),
      ...stateOf(command),
    };
  },
});
