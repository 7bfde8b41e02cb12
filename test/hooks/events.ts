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

/** The same as Codex sends it. */
export function codexEvent(
  name: string,
  cwd: string,
  tool: string,
  input: unknown,
  more: Fields = {},
): Fields {
  return claudeEvent(name, cwd, tool, input, {
    turn_id: '01a20a9f-5f09-7e52-bc98-36939f4d90ba',
    model: 'gpt-5.5',
    permission_mode: 'bypassPermissions',
    ...more,
  });
}

/** The same as Gemini CLI sends it. */
export function geminiEvent(
  name: string,
  cwd: string,
  tool: string,
  input: unknown,
  more: Fields = {},
): Fields {
  return {
    session_id: 'c61c4bc8-cf1d-4837-b784-4888073f93fc',
    transcript_path: '/home/me/.gemini/tmp/repo/chats/session.jsonl',
    cwd,
    hook_event_name: name,
    timestamp: '2026-11-23T22:55:44.784Z',
    tool_name: tool,
    tool_input: input,
    ...more,
  };
}

/** The same as Cursor sends it. */
export function cursorEvent(
  name: string,
  cwd: string,
  tool: string,
  input: unknown,
  more: Fields = {},
): Fields {
  return {
    conversation_id: '74676b03-4f0e-4a1e-9f0d-5b1c0d0f7c11',
    generation_id: 'f7746f6e-9a55-4a4b-8d7b-1c9d3d1b8a02',
    model: 'default',
    hook_event_name: name,
    cursor_version: '3.20.21',
    workspace_roots: [cwd],
    user_email: null,
    transcript_path: null,
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'tool_01',
    cwd: '',
    ...more,
  };
}
