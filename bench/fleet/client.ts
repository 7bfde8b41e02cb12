import { Agent, request } from 'node:http';

/** What a tool answered. `lost`: no answer came whole, so nobody knows whether the call took effect; `why` is one of few. */
export type Answer =
  | { readonly kind: 'ok' | 'error'; readonly value: Record<string, unknown> }
  | { readonly kind: 'lost'; readonly why: string };

/** Why a call is lost, where the agent itself is the reason. */
export const crashed = 'its agent crashed, on purpose';

/** Calls tools by revision 2026-07-28, which keeps no session: each request may go to another server. */
export interface FleetClient {
  call(url: string, tool: string, input: object, options?: CallOptions): Promise<Answer>;
  close(): void;
}

export interface CallOptions {
  readonly bearer?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Hangs up on it. */
  readonly signal?: AbortSignal | undefined;
}

export function createClient(sockets: number): FleetClient {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  return {
    call: (url, tool, input, options = {}) =>
      post(url, tool, input, agent, options).catch((error: NodeJS.ErrnoException) => ({
        kind: 'lost',
        why: options.signal?.aborted ? crashed : error.code ? `connection: ${error.code}` : error.message,
      })),
    close: () => agent.destroy(),
  };
}

function post(
  url: string,
  tool: string,
  input: object,
  agent: Agent,
  { bearer, timeoutMs = 60_000, signal }: CallOptions,
): Promise<Answer> {
  const params = { name: tool, arguments: input, _meta: meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = {
    ...modern,
    'content-length': Buffer.byteLength(body),
    'mcp-name': tool,
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers, timeout: timeoutMs, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const words = String(Buffer.concat(chunks));
        if (response.statusCode !== 200) return reject(new Error(`refused: HTTP ${response.statusCode}`));
        // A slow answer comes as a stream; the last event is the result.
        const json = words.startsWith('{') ? words : (words.split('\ndata: ').at(-1)?.split('\n')[0] ?? '');
        const { result, error } = JSON.parse(json || '{}') as {
          result?: { isError?: boolean; structuredContent?: Record<string, unknown> };
          error?: { code: number };
        };
        if (!result?.structuredContent) return reject(new Error(`refused: error ${error?.code}`));
        resolve({ kind: result.isError ? 'error' : 'ok', value: result.structuredContent });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`given up after ${timeoutMs / 1000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'sekisho-fleet', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
};
