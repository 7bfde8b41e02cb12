import type { Fields } from '../../src/hooks/event.ts';

/** An event as Claude Code sends it. */
export function claudeEvent(
  name: string,
  cwd: string,
  tool: string,
  input: unknown,
  more: Fields = {},
): Fields {
  return {
    session_id: '4b0e0b7f-06dc-448c-8835-0100e266b65e',
    transcript_path: '/home/me/.claude/projects/x.jsonl',
    cwd,
    permission_mode: 'default',
    hook_event_name: name,
    tool_name: tool,
    tool_use_id: 'toolu_01',
    tool_input: input,
    ...more,
  };
}
