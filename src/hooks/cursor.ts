import * as z from 'zod';
import { shellQuote } from '../ground/shell-quote.ts';
import type { Adapter, Fields, HookAnswer, HookEvent, NativeCall } from './event.ts';
import { type At, callsOf, hookId, looksFor, type NativeReader, parsed, prompted, writes } from './parse.ts';

/**
 * Cursor: `preToolUse` takes allow and deny, and arguments in place of the model's. It accepts "ask" and continues, so
 * our questions wait elsewhere. With `failClosed` an empty answer is a failure, so every answer is explicit. Its model
 * reads the message for the person, not the one for itself.
 */
export const cursor: Adapter = {
  name: 'cursor',
  read,
  say,
  refuse: (words) => told({ permission: 'deny', user_message: words, agent_message: words }),
};

/** Cursor also runs the hooks of Claude Code, with its own events. */
export function isOfCursor(event: unknown): boolean {
  return typeof (event as { cursor_version?: unknown } | null)?.cursor_version === 'string';
}

const folder = z.string().startsWith('/');
const common = { conversation_id: hookId };
const use = {
  ...common,
  tool_use_id: hookId,
  tool_name: z.string().min(1).max(500),
  tool_input: z.unknown(),
};
/** Cursor leaves the folder empty if its shell is in the workspace. */
const place = {
  cwd: z.union([folder, z.literal('')]).optional(),
  workspace_roots: z.tuple([folder], folder),
};

const events = z.discriminatedUnion('hook_event_name', [
  z.looseObject({ hook_event_name: z.literal('preToolUse'), ...use, ...place }),
  z.looseObject({ hook_event_name: z.literal('postToolUse'), ...use }),
  z.looseObject({
    hook_event_name: z.literal('postToolUseFailure'),
    ...use,
    error_message: z.string().optional(),
  }),
  z.looseObject({ hook_event_name: z.literal('beforeSubmitPrompt'), ...common, prompt: prompted }),
  z.looseObject({ hook_event_name: z.enum(['stop', 'sessionEnd']), ...common }),
]);

function read(given: unknown): HookEvent {
  const event = parsed(events, given, 'Cursor');
  const session = `cursor:${event.conversation_id}`;
  switch (event.hook_event_name) {
    case 'preToolUse': {
      const { tool_name: name, tool_input: input, tool_use_id } = event;
      const at = event.cwd || event.workspace_roots[0];
      const calls = isElsewhere(name) ? [] : callsOf(readers, name, input, at);
      return { kind: 'before', session, folder: at, use: tool_use_id, calls, asks: false, again: true };
    }
    case 'postToolUse':
      return { kind: 'after', session, use: event.tool_use_id };
    case 'postToolUseFailure':
      return { kind: 'after', session, use: event.tool_use_id, failure: event.error_message ?? '' };
    case 'beforeSubmitPrompt':
      return { kind: 'turn-over', session, said: event.prompt };
    case 'sessionEnd':
      return { kind: 'session-over', session };
    default:
      return { kind: 'turn-over', session };
  }
}

function say(answer: HookAnswer, given: unknown) {
  if (answer.kind === 'deny' || answer.kind === 'ask')
    return told({ permission: 'deny', user_message: answer.words, agent_message: answer.words });
  const event = read(given);
  if (event.kind !== 'before') return told({ continue: true });
  if (answer.kind === 'nothing' || answer.command === undefined) return told({ permission: 'allow' });
  const [call] = event.calls;
  const begins = (call?.does === 'command' ? call.folder : undefined) ?? event.folder;
  const { tool_input: input } = given as { tool_input?: Fields };
  // Its shell may be in the folder of an earlier command.
  const command = `cd ${shellQuote(begins)} && ${answer.command}`;
  return told({ permission: 'allow', updated_input: { ...input, command } });
}

function told(words: object) {
  return { stdout: `${JSON.stringify(words)}\n`, stderr: '', exitCode: 0 };
}

const words = z.string();
/** One file; its field depends on the version. */
const file = z
  .looseObject({ path: words.min(1).optional(), file_path: words.min(1).optional() })
  // Two fields could name two files.
  .refine(({ path, file_path }) => (path === undefined) !== (file_path === undefined))
  .transform(({ path, file_path }) => path ?? file_path ?? '');

const readers: ReadonlyMap<string, NativeReader> = new Map([
  ['Shell', command],
  ['Read', ofFile((path) => [{ does: 'read', tool: 'read_file', input: { path } }])],
  ['Write', write],
  ['StrReplace', edit],
  ['Edit', edit],
  ['Delete', ofFile((path) => [writes('write_file', path, { content: '' })])],
  ['EditNotebook', ofFile((path) => [writes('write_file', path, { content: '' })])],
  ['Grep', below('grep')],
  ['Glob', below('glob')],
  ['LS', below('list_files')],
  ['WebFetch', fetches],
]);

function command(input: unknown, at: At): readonly NativeCall[] | undefined {
  const schema = z.looseObject({
    command: words.min(1),
    working_directory: words.optional(),
    cwd: words.optional(),
  });
  const result = schema.safeParse(input);
  if (!result.success) return undefined;
  const { command: script, working_directory, cwd } = result.data;
  return [{ does: 'command', command: script, folder: at(working_directory || cwd || undefined) }];
}

function ofFile(calls: (path: string) => readonly NativeCall[]): NativeReader {
  return (input, at) => {
    const result = file.safeParse(input);
    return result.success ? calls(at(result.data)) : undefined;
  };
}

/** Some versions report an edit as the whole resulting text. */
function write(input: unknown, at: At): readonly NativeCall[] | undefined {
  const path = file.safeParse(input);
  const text = z.looseObject({ content: words.optional(), contents: words.optional() }).safeParse(input);
  if (!path.success || !text.success) return undefined;
  const content = text.data.content ?? text.data.contents;
  return content === undefined ? edit(input, at) : [writes('write_file', at(path.data), { content })];
}

function edit(input: unknown, at: At): readonly NativeCall[] | undefined {
  const path = file.safeParse(input);
  const schema = z.looseObject({ old_string: words, new_string: words, replace_all: z.boolean().optional() });
  const change = schema.safeParse(input);
  if (!path.success || !change.success) return undefined;
  const { old_string, new_string, replace_all } = change.data;
  const one = { old_string, new_string, ...(replace_all && { replace_all }) };
  return [writes('edit_file', at(path.data), one)];
}

/** Its other options change what is shown, not where it searches. */
function below(tool: string): NativeReader {
  const names = ['path', 'file_path', 'target_directory'] as const;
  const schema = z.looseObject({
    pattern: words.optional(),
    glob_pattern: words.optional(),
    ...Object.fromEntries(names.map((name) => [name, words.optional()])),
  });
  return (input, at) => {
    const result = schema.safeParse(input);
    if (!result.success) return undefined;
    const { pattern, glob_pattern } = result.data;
    const places = names.map((name) => (result.data as Fields)[name]).filter((each) => each !== undefined);
    const asked = pattern ?? glob_pattern;
    const calls = (places.length === 0 ? [undefined] : places).map((each) => {
      const path = (each as string) || undefined;
      return tool === 'grep'
        ? [
            {
              does: 'look' as const,
              tool,
              input: { ...(asked !== undefined && { pattern: asked }), path: at(path) },
            },
          ]
        : looksFor(tool, { pattern: asked, path }, at);
    });
    return calls.every((each) => each !== undefined) ? calls.flat() : undefined;
  };
}

function fetches(input: unknown): readonly NativeCall[] | undefined {
  const result = z.looseObject({ url: words }).safeParse(input);
  return result.success ? [{ does: 'look', tool: 'web_fetch', input: { url: result.data.url } }] : undefined;
}

/** Tools of MCP servers, ours included, and tools that stay within the client or whose calls come separately. */
function isElsewhere(name: string): boolean {
  return name.startsWith('MCP:') || within.has(name);
}

const within = new Set([
  ...['Task', 'TodoWrite', 'ReadLints', 'SemanticSearch', 'WebSearch', 'AskQuestion', 'SwitchMode'],
  ...['CreatePlan', 'Await', 'CallMcpTool', 'FetchMcpResource'],
]);
