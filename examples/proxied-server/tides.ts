/** Somebody else's MCP server, as it could come from a package: it knows nothing of Sekisho. */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'tides', version: '1.0.0' });
const hours = new Map([['Uraga', '04:12 and 16:40']]);

server.registerTool(
  'high_water',
  {
    description: 'When the tide is high in a harbour.',
    inputSchema: z.object({ harbour: z.string().describe('e.g. "Uraga"') }),
    annotations: { readOnlyHint: true },
  },
  async ({ harbour }) => ({
    content: [{ type: 'text', text: hours.get(harbour) ?? `Nothing is known of ${harbour}.` }],
  }),
);

server.registerTool(
  'close_harbour',
  {
    description: 'Closes a harbour.',
    inputSchema: z.object({ harbour: z.string().describe('e.g. "Uraga"') }),
  },
  async ({ harbour }) => ({ content: [{ type: 'text', text: `${harbour} is closed.` }] }),
);

await server.connect(new StdioServerTransport());
