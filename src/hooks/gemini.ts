import { createHash } from 'node:crypto';
import * as z from 'zod';
import { adapterOf, told, workFolder } from './client.ts';
import type { Fields } from './event.ts';
import { hookId, looks, type NativeReader, reading, runs, searches, writes } from './parse.ts';

const path = z.string().min(1);
const words = z.string();

const readers: ReadonlyMap<string, NativeReader> = new Map([
  ['run_shell_command', runs('dir_path')],
  [
    'read_file',
    reading(
      {
        file_path: path,
        start_line: z.number().int().min(1).optional(),
        end_line: z.number().int().min(1).optional(),
      },
      ({ file_path, ...range }, at) => [
        { does: 'read', tool: 'read_file', input: { path: at(file_path), ...range } },
      ],
    ),
  ],
  [
    'write_file',
    reading({ file_path: path, content: words }, ({ file_path, content }, at) => [
      writes('write_file', at(file_path), { content }),
    ]),
  ],
  [
    'replace',
    reading(
      {
        file_path: path,
        old_string: words,
        new_string: words,
        instruction: words.optional(),
        allow_multiple: z.boolean().optional(),
      },
      ({ file_path, old_string, new_string, allow_multiple: replace_all }, at) => [
        writes('edit_file', at(file_path), { old_string, new_string, ...(replace_all && { replace_all }) }),
      ],
    ),
  ],
  ['list_directory', searches('list_files', ['pattern'], ['dir_path'])],
  ['glob', searches('glob', ['pattern'], ['dir_path'])],
  ['grep_search', searches('grep', ['pattern'], ['dir_path'])],
  [
    'web_fetch',
    // The addresses are in the prompt.
    reading({ prompt: words }, ({ prompt }) => {
      const urls = prompt.match(/https?:\/\/[^\s<>"')\]]+/g)?.slice(0, mostUrls);
      return urls?.map((url) => looks('web_fetch', { url }));
    }),
  ],
]);

/** The client's own limit. */
const mostUrls = 20;

/**
 * Gemini CLI: `BeforeTool` takes deny, and arguments that are merged over the model's. It cannot ask, so our questions
 * wait elsewhere; it has no id for a use of a tool, so the arguments serve as one.
 */
export const gemini = adapterOf({
  name: 'gemini-cli',
  client: 'Gemini CLI',
  common: { session_id: hookId, cwd: workFolder },
  use: {},
  events: [
    ['BeforeTool', 'before'],
    ['AfterTool', 'after', { tool_response: z.looseObject({ error: z.unknown().optional() }).optional() }],
    ['BeforeAgent', 'prompt'],
    ['AfterAgent', 'turn-over'],
    ['SessionEnd', 'session-over'],
  ],
  servers: 'mcp_',
  within: [
    ...['update_topic', 'write_todos', 'enter_plan_mode', 'exit_plan_mode', 'invoke_agent', 'activate_skill'],
    ...['google_web_search', 'list_background_processes', 'read_background_output', 'ask_user'],
    'complete_task',
  ],
  readers,
  facts: ({ tool_name: name, tool_input: input, tool_response: response }) => ({
    use: createHash('sha256')
      .update(JSON.stringify([name, input]))
      .digest('hex'),
    failure: JSON.stringify((response as { readonly error?: unknown } | undefined)?.error),
  }),
  say(answer, event) {
    // Its form of "no opinion": an `allow` of ours does not answer its own questions.
    if (answer.kind === 'nothing') return told({});
    if (answer.kind !== 'allow') return told({ decision: 'deny', reason: answer.words });
    if (answer.command === undefined) return told({});
    return told({
      decision: 'allow',
      hookSpecificOutput: {
        hookEventName: 'BeforeTool',
        tool_input: { ...(event as { tool_input?: Fields }).tool_input, command: answer.command },
      },
    });
  },
});
