import * as z from 'zod';
import { adapterOf, told, useId, workFolder } from './client.ts';
import type { Fields } from './event.ts';
import { hookId, looks, looksFor, type NativeReader, reading, regarding, runs, writes } from './parse.ts';

const path = z.string().min(1);
const words = z.string();
const edit = z.strictObject({ old_string: words, new_string: words, replace_all: z.boolean().optional() });

const readers: ReadonlyMap<string, NativeReader> = new Map([
  ['Bash', runs()],
  ['Monitor', runs()],
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
  [
    'Grep',
    regarding(
      { pattern: words, path: words.optional(), glob: words.optional() },
      ({ pattern, path: below, glob }, at) => [
        looks('grep', { pattern, path: at(below), ...(glob !== undefined && { glob }) }),
      ],
    ),
  ],
  ['WebFetch', reading({ url: words, prompt: words }, ({ url }) => [looks('web_fetch', { url })])],
]);

/**
 * Claude Code: `PreToolUse` takes allow, ask and deny, and arguments in place of the model's; an `allow` skips its own
 * prompt, never the person's deny rules. Any other failure must end with status 2, which refuses.
 */
export const claude = adapterOf({
  name: 'claude-code',
  client: 'Claude Code',
  common: { session_id: hookId, permission_mode: z.string().optional() },
  use: { cwd: workFolder, ...useId },
  events: [
    ['PreToolUse', 'before'],
    ['PostToolUse', 'after'],
    ['PostToolUseFailure', 'after', { error: z.string().optional() }],
    ['UserPromptSubmit', 'prompt'],
    ['Stop', 'turn-over'],
    ['SessionEnd', 'session-over'],
  ],
  servers: 'mcp__',
  within: [
    ...['Agent', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate'],
    ...[
      'BashOutput',
      'KillShell',
      'KillBash',
      'TodoRead',
      'TodoWrite',
      'Skill',
      'SlashCommand',
      'ToolSearch',
    ],
    ...[
      'AskUserQuestion',
      'EnterPlanMode',
      'ExitPlanMode',
      'StructuredOutput',
      'ReportFindings',
      'WebSearch',
    ],
    ...['ListMcpResourcesTool', 'ReadMcpResourceTool', 'WaitForMcpServers', 'SendMessage', 'Workflow'],
  ],
  readers,
  facts: ({ hook_event_name, permission_mode, error }) => ({
    // A person reads a question in these modes; in the others there is none, or the client answers for them.
    asks: ['default', 'acceptEdits', 'plan'].includes(String(permission_mode ?? 'default')),
    failure: hook_event_name === 'PostToolUseFailure' ? String(error ?? '') : undefined,
  }),
  say(answer, event) {
    if (answer.kind === 'nothing') return told();
    const input = (event as { tool_input?: Fields }).tool_input;
    const output = {
      hookEventName: 'PreToolUse',
      permissionDecision: answer.kind,
      ...('words' in answer && { permissionDecisionReason: answer.words }),
      ...('told' in answer && answer.told !== undefined && { additionalContext: answer.told }),
      ...('command' in answer &&
        answer.command !== undefined && { updatedInput: { ...input, command: answer.command } }),
    };
    return told({ hookSpecificOutput: output });
  },
});
