import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { backgroundOf, networkOf, processIdInput, stateOf, stateOutput } from './background.ts';

export const bashKill = defineTool({
  name: 'bash_kill',
  category: 'shell',
  title: text('Stop a background command', 'バックグラウンドを停止'),
  description: text(
    'Stop a background command and all it started.',
    'バックグラウンドのコマンドと、そこから起動したものをすべて停止します。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  uses: ['commands'],
  input: z.object({ process_id: processIdInput.describe('From bash.') }),
  output: z.object({ ...stateOutput }),
  ja: { process_id: 'bash が返した ID。' },
  example: { process_id: 'bg_1' },
  render: (_output, locale) => text('Stopped.', '停止しました。')[locale],

  async run({ process_id }, { commands, audit }) {
    const command = backgroundOf(commands, process_id);
    await command.kill();
    audit({ process: process_id, ...networkOf(command) });
    return stateOf(command);
  },
});
