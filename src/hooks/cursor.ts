import * as z from 'zod';
import { shellQuote } from '../ground/shell-quote.ts';
import { adapterOf, told, useId, workFolder } from './client.ts';
import type { Adapter, Fields, NativeCall } from './event.ts';
import { type At, hookId, looks, type NativeReader, regarding, runs, searches, writes } from './parse.ts';

/** Cursor also runs the hooks of Claude Code, with its own events. */
export function isOfCursor(event: unknown): boolean {
  return typeof (event as { cursor_version?: unknown } | null)?.cursor_version === 'string';
}

const words = z.string();
/** One file; its field depends on the version. */
const file = z
  .looseObject({ path: words.min(1).optional(), file_path: words.min(1).optional() })
  // Two fields could name two files.
  .refine(({ path, file_path }) => (path === undefined) !== (file_path === undefined))
  .transform(({ path, file_path }) => path ?? file_path ?? '');

const patterns = ['pattern', 'glob_pattern'];
const folders = ['path', 'file_path', 'target_directory'];

const readers: ReadonlyMap<string, NativeReader> = new Map([
  ['Shell', runs('working_directory', 'cwd')],
  ['Read', ofFile((path) => [{ does: 'read', tool: 'read_file', input: { path } }])],
  ['Write', write],
  ['StrReplace', edit],
  ['Edit', edit],
  ['Delete', ofFile((path) => [writes('write_file', path, { content: '' })])],
  ['EditNotebook', ofFile((path) => [writes('write_file', path, { content: '' })])],
  ['Grep', searches('grep', patterns, folders)],
  ['Glob', searches('glob', patterns, folders)],
  ['LS', searches('list_files', patterns, folders)],
  ['WebFetch', regarding({ url: words }, ({ url }) => [looks('web_fetch', { url })])],
]);

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

/**
 * Cursor: `preToolUse` takes allow and deny, and arguments in place of the model's. It accepts "ask" and continues, so
 * our questions wait elsewhere. With `failClosed` an empty answer is a failure, so every answer is explicit. Its model
 * reads the message for the person, not the one for itself.
 */
export const cursor: Adapter = adapterOf({
  name: 'cursor',
  client: 'Cursor',
  common: { conversation_id: hookId },
  use: useId,
  events: [
    [
      'preToolUse',
      'before',
      {
        // Empty if its shell is in the workspace.
        cwd: z.union([workFolder, z.literal('')]).optional(),
        workspace_roots: z.tuple([workFolder], workFolder),
      },
    ],
    ['postToolUse', 'after'],
    ['postToolUseFailure', 'after', { error_message: words.optional() }],
    ['beforeSubmitPrompt', 'prompt'],
    ['stop', 'turn-over'],
    ['sessionEnd', 'session-over'],
  ],
  servers: 'MCP:',
  within: [
    ...['Task', 'TodoWrite', 'ReadLints', 'SemanticSearch', 'WebSearch', 'AskQuestion', 'SwitchMode'],
    ...['CreatePlan', 'Await', 'CallMcpTool', 'FetchMcpResource'],
  ],
  readers,
  facts: ({ hook_event_name, cwd, workspace_roots, error_message }) => ({
    folder: cwd || String(Object(workspace_roots)[0]),
    again: true,
    failure: hook_event_name === 'postToolUseFailure' ? String(error_message ?? '') : undefined,
  }),
  say(answer, given) {
    if (answer.kind === 'deny' || answer.kind === 'ask') return refused(answer.words);
    const event = cursor.read(given);
    if (event.kind !== 'before') return told({ continue: true });
    if (answer.kind === 'nothing' || answer.command === undefined) return told({ permission: 'allow' });
    const [call] = event.calls;
    const begins = (call?.does === 'command' ? call.folder : undefined) ?? event.folder;
    const { tool_input: input } = given as { tool_input?: Fields };
    // Its shell may be in the folder of an earlier command.
    const command = `cd ${shellQuote(begins)} && ${answer.command}`;
    return told({ permission: 'allow', updated_input: { ...input, command } });
  },
  refuse: refused,
});

function refused(words: string) {
  return told({ permission: 'deny', user_message: words, agent_message: words });
}
