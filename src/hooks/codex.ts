import * as z from 'zod';
import type { Adapter, HookAnswer, HookEvent, NativeCall } from './event.ts';
import { type At, callsOf, hookId, type NativeReader, parsed, prompted, reading } from './parse.ts';
import { patchCalls } from './patch.ts';

/**
 * Codex: `PreToolUse` takes deny, and an allow only together with our arguments. It cannot ask, so our questions wait
 * elsewhere. It continues if a hook fails in any way but status 2. Questions that it would ask its own person come as
 * `PermissionRequest`.
 */
export const codex: Adapter = { name: 'codex', read, say };

const common = { session_id: hookId, cwd: z.string().startsWith('/') };
const asked = { ...common, tool_name: z.string().min(1).max(500), tool_input: z.unknown(), turn_id: hookId };
const use = { ...asked, tool_use_id: hookId };

const events = z.discriminatedUnion('hook_event_name', [
  z.looseObject({ hook_event_name: z.literal('PreToolUse'), ...use }),
  z.looseObject({ hook_event_name: z.literal('PermissionRequest'), ...asked }),
  z.looseObject({ hook_event_name: z.literal('PostToolUse'), ...use }),
  z.looseObject({ hook_event_name: z.literal('UserPromptSubmit'), ...common, prompt: prompted }),
  z.looseObject({ hook_event_name: z.enum(['Stop', 'SessionEnd']), ...common }),
]);

function read(given: unknown): HookEvent {
  const event = parsed(events, given, 'Codex');
  const session = `codex:${event.session_id}`;
  switch (event.hook_event_name) {
    case 'PreToolUse': {
      const { cwd: folder, tool_name: name, tool_input: input } = event;
      const calls = isElsewhere(name) ? [] : callsOf(readers, name, input, folder);
      const asked = { tool: name, input };
      return { kind: 'before', session, folder, use: event.tool_use_id, calls, asks: false, asked };
    }
    case 'PermissionRequest':
      return { kind: 'approval', session, asked: { tool: event.tool_name, input: event.tool_input } };
    case 'PostToolUse':
      return { kind: 'after', session, use: event.tool_use_id };
    case 'UserPromptSubmit':
      return { kind: 'turn-over', session, said: event.prompt };
    case 'SessionEnd':
      return { kind: 'session-over', session };
    default:
      return { kind: 'turn-over', session };
  }
}

function say(answer: HookAnswer, event: unknown) {
  if ((event as { hook_event_name?: unknown }).hook_event_name === 'PermissionRequest')
    return answer.kind === 'allow' ? approved : { stdout: '', stderr: '', exitCode: 0 };
  const told = (output: object) => ({
    stdout: `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } })}\n`,
    stderr: '',
    exitCode: 0,
  });
  if (answer.kind === 'deny' || answer.kind === 'ask') {
    return told({ permissionDecision: 'deny', permissionDecisionReason: answer.words });
  }
  // Codex rejects an allow alone; it continues if the hook says nothing.
  if (answer.kind === 'nothing' || answer.command === undefined)
    return { stdout: '', stderr: '', exitCode: 0 };
  return told({ permissionDecision: 'allow', updatedInput: { command: answer.command } });
}

const approved = {
  stdout: `${JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
  })}\n`,
  stderr: '',
  exitCode: 0,
};

const readers: ReadonlyMap<string, NativeReader> = new Map([
  ['Bash', command],
  ['apply_patch', patch],
  [
    'view_image',
    reading({ path: z.string().min(1) }, ({ path }, at) => [
      { does: 'read', tool: 'read_file', input: { path: at(path) } },
    ]),
  ],
]);

function command(input: unknown): readonly NativeCall[] | undefined {
  const result = z.strictObject({ command: z.string().min(1) }).safeParse(input);
  return result.success ? [{ does: 'command', command: result.data.command }] : undefined;
}

function patch(input: unknown, at: At): readonly NativeCall[] | undefined {
  const result = z.strictObject({ command: z.string().min(1) }).safeParse(input);
  return result.success ? patchCalls(result.data.command, at) : undefined;
}

/** Tools of MCP servers, ours included, and tools that stay within the client or whose calls come separately. */
function isElsewhere(name: string): boolean {
  return name.startsWith('mcp__') || within.has(name);
}

const within = new Set([
  'update_plan',
  'request_user_input',
  'get_goal',
  'create_goal',
  'update_goal',
  'tool_search',
]);
