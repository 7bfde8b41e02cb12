import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { backgroundOf, networkOf, processIdInput, sendSignal, stateOf, stateOutput } from './background.ts';

export const bashKill = defineTool({
  name: 'bash_kill',
  category: 'shell',
  title: text('Stop a background command', 'バックグラウンドを停止'),
  description: text(
    'Stop a background command and all it started, or send a signal.',
    'バックグラウンドのコマンドと、そこから起動したものをすべて停止します。signal を指定すると、そのシグナルを送るだけです。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  uses: ['commands'],
  input: z.object({
    process_id: processIdInput.describe('From bash.'),
    signal: z.enum(['INT', 'HUP', 'TERM']).optional().describe('INT: as Ctrl-C.'),
  }),
  output: z.object({ ...stateOutput }),
  ja: { process_id: 'bash が返した ID。', signal: 'INT は Ctrl-C と同じ。省略すると停止。' },
  example: { process_id: 'bg_1' },
  render: ({ running }, locale) =>
    running
      ? text('Sent. It is still running.', '送りました。まだ実行中です。')[locale]
      : text('Stopped.', '停止しました。')[locale],

  async run({ process_id, signal: name }, { commands, signal, audit }) {
    const command = backgroundOf(commands, process_id);
    if (name === undefined) await command.kill();
    else await sendSignal(command, `SIG${name}`, signal);
    audit({ process: process_id, ...(name !== undefined && { signal: name }), ...networkOf(command) });
    return stateOf(command);
  },
});
