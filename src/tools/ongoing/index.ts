import * as z from 'zod';
import type { ToolOutput } from '../../contract/call.ts';
import type { OngoingCalls } from '../../contract/capabilities/ongoing.ts';
import { ToolError } from '../../contract/error.ts';
import { text, verbatim } from '../../contract/text/text.ts';
import { defineTool, defineToolset, type LooseTool } from '../../contract/tool/define-tool.ts';
import type { BaseContext, Toolset } from '../../contract/tool/tool.ts';
import { stillRunning } from '../../ground/errors/still-running.ts';

/** Served if calls may outlast their clients' patience. */
export function createOngoingToolset(): Toolset {
  return defineToolset('ongoing', [callResult]);
}

const input = z.object({
  call_id: z.string().min(1).max(100).describe('From that reply.'),
  wait: z.int().min(0).max(45).default(45).describe('Seconds.'),
});

/** Returns the result of a call that outlasted its client's patience, in that tool's own form. */
export const callResult: LooseTool = {
  ...defineTool({
    name: 'call_result',
    category: 'help',
    title: text('Result of a long call', '長い呼び出しの結果'),
    description: text(
      'Wait for a call that was answered with still_running.',
      'still_running と返された呼び出しの結果を待ちます。',
    ),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    uses: ['ongoing'],
    input,
    output: z.object({}),
    ja: { call_id: 'still_running の返答にある ID。', wait: '待つ秒数。45 まで。' },
    example: { call_id: '3f2b8c1e-7a54-4d0e-9a53-0c1f6d2b7e90' },
    run: async () => ({}),
  }),
  // The result has the other tool's form.
  outputSchema: () => undefined,
  run: (checked, context) => fetch(checked as z.output<typeof input>, context),
};

async function fetch(
  { call_id, wait }: z.output<typeof input>,
  { ongoing, signal, audit, meta }: BaseContext & { readonly ongoing: OngoingCalls },
): Promise<ToolOutput> {
  audit({ call: call_id });
  const reply = await ongoing.result(call_id, wait * 1000, signal);
  signal.throwIfAborted();
  // A call that continues in the background asks no questions, so it ends with none either.
  if (!reply || reply.kind === 'question') throw stillRunning(call_id);
  if (reply.kind === 'error')
    throw new ToolError(reply.code, verbatim(reply.text), { wire: reply.structured.error });
  if (reply.meta) meta(reply.meta);
  return { content: () => reply.content, structured: reply.structured, isError: reply.isError };
}
