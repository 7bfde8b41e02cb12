import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { memoryId, noSuchMemory } from './memory-fields.ts';

export const forget = defineTool({
  name: 'forget',
  category: 'memory',
  title: text('Forget', '忘れる'),
  description: text('Delete one memory for good.', 'メモリを 1 件、完全に削除します。'),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  uses: ['memory'],
  input: z.object({ id: memoryId.describe('From recall.') }),
  output: z.object({ forgotten: z.string() }),
  ja: { id: 'recall の結果の id。例: "mem_7k2m9q4x3v5w8z1t"' },
  example: { id: 'mem_7k2m9q4x3v5w8z1t' },

  async run({ id }, { memory, audit }) {
    if (!(await memory.forget(id))) throw noSuchMemory(id);
    audit({ forgot: id });
    return { forgotten: id };
  },
});
