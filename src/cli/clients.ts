/** How each client is told of a server that it starts itself. */
export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'gemini'] as const;

export type ClientName = (typeof clientNames)[number];

export interface ClientConfig {
  /** Where the client looks, with `~` for the home folder. */
  readonly file: string;
  readonly words: string;
}

/** The text to put into a client's own configuration. */
export function clientConfig(client: ClientName, command: string, args: readonly string[]): ClientConfig {
  const server = { command, args };
  switch (client) {
    case 'claude':
      return { file: '.mcp.json in your project', words: json({ mcpServers: { sekisho: server } }) };
    case 'cursor':
      return { file: '~/.cursor/mcp.json', words: json({ mcpServers: { sekisho: server } }) };
    case 'gemini':
      return { file: '~/.gemini/settings.json', words: json({ mcpServers: { sekisho: server } }) };
    case 'vscode':
      return {
        file: '.vscode/mcp.json in your project',
        words: json({ servers: { sekisho: { type: 'stdio', ...server } } }),
      };
    case 'codex':
      return {
        file: '~/.codex/config.toml',
        words: `[mcp_servers.sekisho]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
      };
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
