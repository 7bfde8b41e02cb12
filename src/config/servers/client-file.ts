import { ConfigError } from '../../contract/error.ts';
import { describeIssue } from '../../contract/text/describe-issue.ts';
import type { Text } from '../../contract/text/text.ts';
import { parseJsonc } from '../file/jsonc.ts';
import { readNamed } from '../file/why-unreadable.ts';
import { clientServers } from './client-shapes.ts';
import { foreignServer, type ServerConfig } from './server-schema.ts';

/** A server from a client's file, and notes on parts that could not be taken unchanged. */
export interface ForeignServer {
  readonly name: string;
  readonly config: ServerConfig;
  readonly notes: readonly Text[];
}

/** The servers in a client's file, in any of the usual formats. Throws `ConfigError`. */
export function readServerFile(path: string): readonly ForeignServer[] {
  if (path.endsWith('.toml'))
    throw new ConfigError(
      `${path} is TOML, which is not read here; write its servers as {"mcpServers": …}.`,
      `${path} は TOML ですが、ここでは読み込めません。サーバーを {"mcpServers": …} の形で書いてください。`,
    );
  const servers = clientServers(parseJsonc(path, readNamed(path)));
  if (!servers)
    throw new ConfigError(
      `${path} has neither "servers" nor "mcpServers" nor "context_servers".`,
      `${path} に "servers"、"mcpServers"、"context_servers" のいずれもありません。`,
    );
  return servers.map(({ name, entry, notes }) => {
    const parsed = foreignServer.safeParse(entry);
    if (parsed.success) return { name, config: parsed.data, notes };
    const issue = parsed.error.issues[0];
    throw new ConfigError(
      `${path}: ${[name, ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message}.`,
      `${path}: ${[name, ...(issue?.path ?? [])].map(String).join('.')}: ${issue && describeIssue(issue).ja}。`,
    );
  });
}
