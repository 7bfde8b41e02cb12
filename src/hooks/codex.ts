import * as z from 'zod';
import { adapterOf, told, useId, workFolder } from './client.ts';
import { hookId, reading } from './parse.ts';
import { patchCalls } from './patch.ts';

const command = { command: z.string().min(1) };

/**
 * Codex: `PreToolUse` takes deny, and an allow only together with our arguments. It cannot ask, so our questions wait
 * elsewhere. It continues if a hook fails in any way but status 2. Questions that it would ask its own person come as
 * `PermissionRequest`.
 */
export const codex = adapterOf({
  name: 'codex',
  client: 'Codex',
  common: { session_id: hookId, cwd: workFolder },
  use: { turn_id: hookId, ...useId },
  events: [
    ['PreToolUse', 'before'],
    ['PermissionRequest', 'approval', { turn_id: hookId }],
    ['PostToolUse', 'after'],
    ['UserPromptSubmit', 'prompt'],
    ['Stop', 'turn-over'],
    ['SessionEnd', 'session-over'],
  ],
  servers: 'mcp__',
  within: ['update_plan', 'request_user_input', 'get_goal', 'create_goal', 'update_goal', 'tool_search'],
  readers: new Map([
    ['Bash', reading(command, (input) => [{ does: 'command', ...input }])],
    ['apply_patch', reading(command, (input, at) => patchCalls(input.command, at))],
    [
      'view_image',
      reading({ path: z.string().min(1) }, ({ path }, at) => [
        { does: 'read', tool: 'read_file', input: { path: at(path) } },
      ]),
    ],
  ]),
  say(answer, event) {
    const output = (hookEventName: string, more: object) =>
      told({ hookSpecificOutput: { hookEventName, ...more } });
    if ((event as { hook_event_name?: unknown }).hook_event_name === 'PermissionRequest')
      return answer.kind === 'allow'
        ? output('PermissionRequest', { decision: { behavior: 'allow' } })
        : told();
    if (answer.kind === 'deny' || answer.kind === 'ask')
      return output('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: answer.words });
    // Codex rejects an allow alone; it continues if the hook says nothing.
    if (answer.kind === 'nothing' || answer.command === undefined) return told();
    return output('PreToolUse', {
      permissionDecision: 'allow',
      updatedInput: { command: answer.command },
    });
  },
});
