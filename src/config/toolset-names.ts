/** Toolsets that can be served; `help` comes with each. */
export const toolsetNames = ['agent-cli', 'assistant', 'vault', 'pipeline', 'collaboration', 'plan'] as const;

export type ToolsetName = (typeof toolsetNames)[number];

/** The default of `sekisho serve`: read, write and run, three tools. */
export const defaultToolsets: readonly ToolsetName[] = ['agent-cli'];

/** Document 000 runs each tool as a separate server: `--only file-read`. */
export const singleTools = {
  'file-read': { toolset: 'agent-cli', tool: 'file_read' },
  'file-write': { toolset: 'agent-cli', tool: 'file_write' },
  'shell-exec': { toolset: 'agent-cli', tool: 'shell_exec' },
} as const satisfies Record<string, { toolset: ToolsetName; tool: string }>;

/** The document's prefix for the full name of such a server. */
export const singleToolPrefix = 'mcp-server/';

export type SingleTool = keyof typeof singleTools;
