/** Toolsets that can be served; `help` comes with each. */
export const toolsetNames = ['agent-cli', 'assistant', 'vault', 'pipeline', 'collaboration', 'plan'] as const;

export type ToolsetName = (typeof toolsetNames)[number];

/** What `sekisho serve` serves when nothing else is said: read, write and run, three tools. */
export const defaultToolsets: readonly ToolsetName[] = ['agent-cli'];

/** Document 000 runs each tool as a server of its own: `--only file-read`. */
export const singleTools = {
  'file-read': { toolset: 'agent-cli', tool: 'file_read' },
  'file-write': { toolset: 'agent-cli', tool: 'file_write' },
  'shell-exec': { toolset: 'agent-cli', tool: 'shell_exec' },
} as const satisfies Record<string, { toolset: ToolsetName; tool: string }>;

/** The document's whole name of such a server. */
export const singleToolPrefix = 'mcp-server/';

export type SingleTool = keyof typeof singleTools;
