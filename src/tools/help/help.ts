import * as z from 'zod';
import { isAgent } from '../../contract/caller.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { describeTool } from './describe-tool.ts';
import { listTools } from './list-tools.ts';

const toolLine = z.object({ name: z.string(), description: z.string(), category: z.string() });

export const help = defineTool({
  name: 'help',
  title: text('Help', 'ヘルプ'),
  description: text(
    'List tools, or show one with an example.',
    '利用可能なMCPツールの一覧と詳細を表示します。呼び出し元の認証状態とセッションのpurposeに応じて、実際に利用可能なツールのみが表示されます。',
  ),
  permission: 'unauthenticated',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['guide'],
  input: z.object({ tool_name: z.string().min(1).optional().describe('e.g. "file_read".') }),
  output: z.object({
    context: z
      .object({
        caller_type: z.string(),
        session_purpose: z.string().optional(),
        agent_id: z.string().optional(),
        project_id: z.string().optional(),
      })
      .optional(),
    available_tools: z.array(toolLine).optional(),
    unavailable_info: z.record(z.string(), z.string()).optional(),
    total_available: z.int().optional(),
    name: z.string().optional(),
    description: z.string().optional(),
    category: z.string().optional(),
    permission: z.string().optional(),
    available: z.boolean().optional(),
    reason: z.string().optional(),
    parameters: z.array(z.record(z.string(), z.unknown())).optional(),
    example: z.record(z.string(), z.unknown()).optional(),
  }),
  ja: {
    tool_name:
      '特定のツール名を指定すると、そのツールの詳細（パラメータ、使用例）を表示します。省略すると利用可能なツール一覧を表示します。',
  },
  example: { tool_name: 'help' },

  async run({ tool_name }, { caller, guide, locale }) {
    const entries = guide.list(caller);
    if (tool_name !== undefined) {
      const nearest = (name: string) => guide.nearest(name, caller);
      return describeTool(tool_name, { entries, nearest }, locale);
    }
    return {
      context: {
        caller_type: caller.kind === 'anonymous' ? 'unauthenticated' : caller.kind,
        ...(isAgent(caller)
          ? {
              session_purpose: caller.session.purpose,
              agent_id: caller.session.agentId,
              project_id: caller.session.projectId,
            }
          : {}),
      },
      ...listTools(entries, locale),
    };
  },
});
