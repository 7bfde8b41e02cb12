import { openCheckpoint } from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags } from '../config/settings.ts';
import { deferred } from '../ground/defer.ts';
import { noteUnreadEnvFile } from './common/note-unread.ts';
import { note, say, sayJson } from './common/say.ts';
import { limitLines } from './serving/limit-lines.ts';

/** Lists the tools that the local caller would be served. */
export async function tools(flags: Flags, options: Readonly<Record<string, unknown>>): Promise<number> {
  const settings = loadSettings(flags);
  noteUnreadEnvFile(flags, settings.locale);
  const checkpoint = await openCheckpoint(settings);
  await using _ = deferred(() => checkpoint.close());
  const { tools: served } = await checkpoint.gateway.list({ transport: 'cli' });
  if (options.json) {
    const described = served.map((tool) => ({
      name: tool.name,
      toolset: tool.toolset,
      permission: tool.permission,
      description: tool.description[settings.locale],
      inputSchema: tool.inputSchema(settings.locale),
      outputSchema: tool.outputSchema(settings.locale),
      unavailable: tool.unavailable?.[settings.locale],
    }));
    sayJson(described, 2);
    return 0;
  }
  const width = Math.max(...served.map((tool) => tool.name.length));
  for (const tool of served) {
    const note = tool.unavailable ? ` (${tool.unavailable[settings.locale]})` : '';
    say(`${tool.name.padEnd(width)}  ${tool.description[settings.locale]}${note}`);
  }
  for (const line of limitLines(settings)) note(line);
  return 0;
}
