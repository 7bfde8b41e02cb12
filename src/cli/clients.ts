import { type Text, text, verbatim } from '../contract/text/text.ts';

/** How each client is told of a server that it starts itself. */
export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'gemini'] as const;

export type ClientName = (typeof clientNames)[number];

export interface ClientConfig {
  /** Where the client looks, with `~` for the home folder. */
  readonly file: Text;
  readonly words: string;
}

/** The text to put into a client's own configuration. */
export function clientConfig(client: ClientName, command: string, args: readonly string[]): ClientConfig {
  const server = { command, args };
  const words = json({ mcpServers: { sekisho: server } });
  switch (client) {
    case 'claude':
      return {
        file: text(
          '.mcp.json in your project (Claude Code), or claude_desktop_config.json (Claude Desktop)',
          'プロジェクトの .mcp.json（Claude Code）か claude_desktop_config.json（Claude Desktop）',
        ),
        words,
      };
    case 'cursor':
      return { file: verbatim('~/.cursor/mcp.json'), words };
    case 'gemini':
      return { file: verbatim('~/.gemini/settings.json'), words };
    case 'vscode':
      return {
        file: text('.vscode/mcp.json in your project', 'プロジェクトの .vscode/mcp.json'),
        words: json({ servers: { sekisho: { type: 'stdio', ...server } } }),
      };
    case 'codex':
      return {
        file: verbatim('~/.codex/config.toml'),
        words: `[mcp_servers.sekisho]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
      };
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
