/**
 * A server in the place of the one that a case speaks of: it has the tools that a file lists, gives the answers that stand
 * there, and writes down each call that reached it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface StandInTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: object | undefined;
  readonly annotations?: object | undefined;
  /** What it answers; else `ok`. */
  readonly answer?: object | undefined;
  /** The argument that names a file, which it opens. */
  readonly opens?: string | undefined;
}

const [file = '', log = ''] = process.argv.slice(2);

function read(): readonly StandInTool[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly StandInTool[];
}

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: unknown;
    readonly protocolVersion?: string;
  };
}

function answer({ method, params }: Request): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'stand-in', version: '1' },
      };
    case 'tools/list':
      return {
        tools: read().map(({ answer: _, opens: __, ...tool }) => ({
          inputSchema: { type: 'object' },
          ...tool,
        })),
      };
    case 'tools/call': {
      appendFileSync(log, `${JSON.stringify(params)}\n`);
      const tool = read().find(({ name }) => name === params?.name);
      if (tool?.opens !== undefined)
        return opened((params?.arguments as Record<string, string> | undefined)?.[tool.opens]);
      return tool?.answer ?? { content: [{ type: 'text', text: 'ok' }] };
    }
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

function opened(path = ''): object {
  try {
    return { content: [{ type: 'text', text: `opened: ${readFileSync(path, 'utf8').length} characters` }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: String(error) }] };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  const result = answer(request);
  const reply = result ? { result } : { error: { code: -32601, message: 'not known here' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply })}\n`);
}
