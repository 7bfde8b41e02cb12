import * as z from 'zod';
import type { Adapter, Fields, HookAnswer, HookEvent, NativeCall } from './event.ts';
import {
  type At,
  callsOf,
  hookId,
  looksFor,
  type NativeReader,
  parsed,
  prompted,
  reading,
  writes,
} from './parse.ts';

/**
 * Claude Code: `PreToolUse` takes allow, ask and deny, and arguments in place of the model's; an `allow` skips its own
 * prompt, never the person's deny rules. Any other failure must end with status 2, which refuses.
 */
export const claude: Adapter = { name: 'claude-code', read, say };

const common = { session_id: hookId, permission_mode: z.string().optional() };
const use = {
  ...common,
  cwd: z.string().startsWith('/'),
  tool_use_id: hookId,
  tool_name: z.string().min(1).max(500),
  tool_input: z.unknown(),
};

const events = z.discriminatedUnion('hook_event_name', [
  z.looseObject({ hook_event_name: z.literal('PreToolUse'), ...use }),
  z.looseObject({ hook_event_name: z.literal('PostToolUse'), ...use }),
  z.looseObject({ hook_event_name: z.literal('PostToolUseFailure'), ...use, error: z.string().optional() }),
  z.looseObject({
    hook_event_name: z.literal('UserPromptSubmit'),
    ...common,
    prompt: prompted,
    agent_id: z.unknown().optional(),
  }),
  z.looseObject({ hook_event_name: z.enum(['Stop', 'SessionEnd']), ...common }),
]);

function read(given: unknown): HookEvent {
  const event = parsed(events, given, 'Claude Code');
  const session = `claude-code:${event.session_id}`;
  switch (event.hook_event_name) {
    case 'PreToolUse': {
      const { cwd: folder } = event;
      const { tool_name: name, tool_input: input, permission_mode: mode } = event;
      const calls = isElsewhere(name) ? [] : callsOf(readers, name, input, folder);
      return {
        kind: 'before',
        session,
        folder,
        use: event.tool_use_id,
        calls,
        asks: asking.has(mode ?? 'default'),
      };
    }
    case 'PostToolUse':
      return { kind: 'after', session, use: event.tool_use_id };
    case 'PostToolUseFailure':
      return { kind: 'after', session, use: event.tool_use_id, failure: event.error ?? '' };
    case 'UserPromptSubmit':
      return { kind: 'turn-over', session, said: event.agent_id === undefined ? event.prompt : undefined };
    case 'SessionEnd':
      return { kind: 'session-over', session };
    default:
      return { kind: 'turn-over', session };
  }
}

function say(answer: HookAnswer, event: unknown) {
  const said = { stdout: '', stderr: '', exitCode: 0 };
  if (answer.kind === 'nothing') return said;
  const input = (event as { tool_input?: Fields }).tool_input;
  const output = {
    hookEventName: 'PreToolUse',
    permissionDecision: answer.kind,
    ...('words' in answer && { permissionDecisionReason: answer.words }),
    ...('command' in answer &&
      answer.command !== undefined && { updatedInput: { ...input, command: answer.command } }),
  };
  return { ...said, stdout: `${JSON.stringify({ hookSpecificOutput: output })}\n` };
}

/** The modes in which a person reads a question; in the others there is no person, or the client answers for them. */
const asking = new Set(['default', 'acceptEdits', 'plan']);

const path = z.string().min(1);
const words = z.string();
const edit = z.strictObject({ old_string: words, new_string: words, replace_all: z.boolean().optional() });

const readers: ReadonlyMap<string, NativeReader> = new Map([
  // The input may have more fields than the command; the command that runs is ours.
  ['Bash', command],
  ['Monitor', command],
  [
    'Read',
    reading(
      {
        file_path: path,
        offset: z.number().int().min(0).optional(),
        limit: z.number().int().min(1).optional(),
        pages: words.optional(),
      },
      ({ file_path, offset, limit }, at) => [
        {
          does: 'read',
          tool: 'read_file',
          input: {
            path: at(file_path),
            ...(offset && { start_line: offset }),
            ...(limit && { end_line: Math.max(offset ?? 1, 1) + limit - 1 }),
          },
        },
      ],
    ),
  ],
  [
    'Write',
    reading({ file_path: path, content: words }, ({ file_path, content }, at) => [
      writes('write_file', at(file_path), { content }),
    ]),
  ],
  [
    'Edit',
    reading({ file_path: path, ...edit.shape }, ({ file_path, ...one }, at) => [
      writes('edit_file', at(file_path), one),
    ]),
  ],
  [
    'MultiEdit',
    reading(
      { file_path: path, edits: z.tuple([edit], edit) },
      ({ file_path, edits: [first, ...edits] }, at) => [
        writes('edit_file', at(file_path), { ...first, edits }),
      ],
    ),
  ],
  [
    'NotebookEdit',
    reading(
      {
        notebook_path: path,
        new_source: words,
        cell_id: words.optional(),
        cell_type: words.optional(),
        edit_mode: words.optional(),
      },
      ({ notebook_path, new_source }, at) => [
        writes('write_file', at(notebook_path), { content: new_source }),
      ],
    ),
  ],
  ['Glob', reading({ pattern: words, path: words.optional() }, (asked, at) => looksFor('glob', asked, at))],
  ['Grep', grep],
  [
    'WebFetch',
    reading({ url: words, prompt: words }, ({ url }) => [
      { does: 'look', tool: 'web_fetch', input: { url } },
    ]),
  ],
]);

function command(input: unknown): readonly NativeCall[] | undefined {
  const result = z.looseObject({ command: z.string().min(1) }).safeParse(input);
  return result.success ? [{ does: 'command', command: result.data.command }] : undefined;
}

/** Its other options change how matches are shown, not where it searches. */
function grep(input: unknown, at: At): readonly NativeCall[] | undefined {
  const schema = z.looseObject({ pattern: words, path: words.optional(), glob: words.optional() });
  const result = schema.safeParse(input);
  if (!result.success) return undefined;
  const { pattern, path: below, glob } = result.data;
  const asked = { pattern, path: at(below), ...(glob !== undefined && { glob }) };
  return [{ does: 'look', tool: 'grep', input: asked }];
}

/** Tools of MCP servers, ours included, and tools that stay within the client or whose calls come separately. */
function isElsewhere(name: string): boolean {
  return name.startsWith('mcp__') || within.has(name);
}

const within = new Set([
  ...['Agent', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate'],
  ...['BashOutput', 'KillShell', 'KillBash', 'TodoRead', 'TodoWrite', 'Skill', 'SlashCommand', 'ToolSearch'],
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'StructuredOutput', 'ReportFindings', 'WebSearch'],
  ...['ListMcpResourcesTool', 'ReadMcpResourceTool', 'WaitForMcpServers', 'SendMessage', 'Workflow'],
]);
