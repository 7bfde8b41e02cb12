import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigFile } from '../../src/config/schema.ts';
import type { Reply } from '../../src/contract/call.ts';
import { openTestCheckpoint, type World } from '../support/open-test-checkpoint.ts';

const fixture = join(import.meta.dirname, 'fixtures', 'server.ts');

export type Server = Extract<NonNullable<ConfigFile['mcpServers']>, Record<string, unknown>>[string];

/** The configuration of a server of our own with a habit; its tools come from `file` where one is named. */
export function habitual(habit = 'none', file?: string, more: Server = {}): Server {
  return {
    command: process.execPath,
    args: [fixture, habit, ...(file === undefined ? [] : [file])],
    sandbox: 'off',
    ...more,
  };
}

/** A checkpoint with these servers, in the mode that asks nobody unless the test says otherwise. */
export function openWithServers(servers: Record<string, Server>, world: World = {}) {
  const config: ConfigFile = { mode: 'full-access', mcpServers: servers, ...world.config };
  return openTestCheckpoint({ ...world, config });
}

export type ServerWorld = Awaited<ReturnType<typeof openWithServers>>;

export function temporaryFile(name: string): string {
  return join(mkdtempSync(join(tmpdir(), 'sekisho-upstream-')), name);
}

/** The words of a reply, the mark of the server left out. */
export function wordsOf(reply: Reply): string {
  if (reply.kind === 'question') return reply.question.message;
  if (reply.kind === 'error') return `${reply.code}: ${reply.text}`;
  return reply.content
    .slice(1)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n');
}

/** Names that the local caller is shown, `help` and our own left out. */
export async function namesIn(world: ServerWorld): Promise<readonly string[]> {
  const { tools } = await world.checkpoint.gateway.list({
    transport: 'stdio',
    connectionId: 'test-connection',
  });
  return tools.flatMap((tool) => (tool.server === undefined ? [] : [tool.name]));
}
