import { createHash } from 'node:crypto';
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
 * Gemini CLI: `BeforeTool` takes deny, and arguments that are merged over the model's. It cannot ask, so our questions
 * wait elsewhere; it has no id for a use of a tool, so the arguments serve as one.
 */
export const gemini: Adapter = { name: 'gemini-cli', read, say };

const common = { session_id: hookId, cwd: z.string().startsWith('/') };
const use = { ...common, tool_name: z.string().min(1).max(500), tool_input: z.unknown() };

const events = z.discriminatedUnion('hook_event_name', [
  z.looseObject({ hook_event_name: z.literal('BeforeTool'), ...use }),
  z.looseObject({
    hook_event_name: z.literal('AfterTool'),
    ...use,
    tool_response: z.looseObject({ error: z.unknown().optional() }).optional(),
  }),
  z.looseObject({ hook_event_name: z.literal('BeforeAgent'), ...common, prompt: prompted }),
  z.looseObject({ hook_event_name: z.enum(['AfterAgent', 'SessionEnd']), ...common }),
]);

function read(given: unknown): HookEvent {
  const event = parsed(events, given, 'Gemini CLI');
  const session = `gemini-cli:${event.session_id}`;
  switch (event.hook_event_name) {
    case 'BeforeTool': {
      const { cwd: folder, tool_name: name, tool_input: input } = event;
      const calls = isElsewhere(name) ? [] : callsOf(readers, name, input, folder);
      return { kind: 'before', session, folder, use: useOf(name, input), calls, asks: false };
    }
    case 'AfterTool': {
      const { tool_name: name, tool_input: input, tool_response: response } = event;
      const failure = response?.error === undefined ? undefined : JSON.stringify(response.error);
      return { kind: 'after', session, use: useOf(name, input), failure };
    }
    case 'BeforeAgent':
      return { kind: 'turn-over', session, said: event.prompt };
    case 'SessionEnd':
      return { kind: 'session-over', session };
    default:
      return { kind: 'turn-over', session };
  }
}

function useOf(name: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('hex');
}

function say(answer: HookAnswer, event: unknown) {
  const told = (words: object) => ({ stdout: `${JSON.stringify(words)}\n`, stderr: '', exitCode: 0 });
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
}

const path = z.string().min(1);
const words = z.string();

const readers: ReadonlyMap<string, NativeReader> = new Map([
  ['run_shell_command', command],
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
  ['list_directory', below('list_files')],
  ['glob', below('glob')],
  ['grep_search', below('grep')],
  ['web_fetch', fetches],
]);

function command(input: unknown, at: At): readonly NativeCall[] | undefined {
  const schema = z.looseObject({ command: z.string().min(1), dir_path: words.optional() });
  const result = schema.safeParse(input);
  if (!result.success) return undefined;
  return [{ does: 'command', command: result.data.command, folder: at(result.data.dir_path) }];
}

/** Its other options change what is shown, not where it searches. */
function below(tool: string): NativeReader {
  const schema = z.looseObject({ pattern: words.optional(), dir_path: words.optional() });
  return (input, at) => {
    const result = schema.safeParse(input);
    if (!result.success) return undefined;
    const { pattern, dir_path } = result.data;
    return tool === 'grep'
      ? [{ does: 'look', tool, input: { ...(pattern !== undefined && { pattern }), path: at(dir_path) } }]
      : looksFor(tool, { pattern, path: dir_path }, at);
  };
}

/** The addresses are in the prompt. */
function fetches(input: unknown): readonly NativeCall[] | undefined {
  const result = z.strictObject({ prompt: words }).safeParse(input);
  const urls = result.success ? (result.data.prompt.match(/https?:\/\/[^\s<>"')\]]+/g) ?? []) : [];
  if (urls.length === 0) return undefined;
  return urls.slice(0, mostUrls).map((url) => ({ does: 'look', tool: 'web_fetch', input: { url } }));
}

/** The client's own limit. */
const mostUrls = 20;

/** Tools of MCP servers, ours included, and tools that stay within the client or whose calls come separately. */
function isElsewhere(name: string): boolean {
  return name.startsWith('mcp_') || within.has(name);
}

const within = new Set([
  ...['update_topic', 'write_todos', 'enter_plan_mode', 'exit_plan_mode', 'invoke_agent', 'activate_skill'],
  ...[
    'google_web_search',
    'list_background_processes',
    'read_background_output',
    'ask_user',
    'complete_task',
  ],
]);
