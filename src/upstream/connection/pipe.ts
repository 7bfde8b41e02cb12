import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ConfinedChild } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { createFrameReader, idAtEdges } from '../../contract/text/frames.ts';
import { text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { parseMessage } from '../../ground/exact-numbers.ts';
import { createFlood } from './flood.ts';
import { startPatience } from './patience.ts';
import { RemoteError, type RemoteRequest } from './remote.ts';

/** An SDK transport over a child's pipes, with a fast path for calls, which skips schemas. */
export interface Pipe {
  readonly transport: Transport;
  request(request: RemoteRequest): Promise<unknown>;
  /** The end of its stderr and of output that was no message. */
  lastWords(): string;
  isClosed(): boolean;
  /** Resolves when the output of an ended child was read to the end, or soon after. */
  drained(): Promise<void>;
}

interface Waiting {
  readonly progress: NonNullable<RemoteRequest['progress']>;
  settle(result: unknown): void;
  fail(error: unknown): void;
}

/** The most output without messages before the server counts as broken; a short line costs us as much as a long one. */
const maxNoiseBytes = 8 * 1024 * 1024;
const lineCostBytes = 100;
/** Depth is bounded by the values; a tool whose schema is too deep is withheld later, and its server stays. */
const messageLimits = {
  maxBytes: limits.remoteMessageBytes,
  maxValues: limits.remoteMessageValues,
  maxDepth: limits.remoteMessageValues,
};
const maxUnreadBytes = 2 * limits.stdioMessageBytes;
const lastWordsChars = 4000;
const maxNoiseChars = 500;
const drainMs = 500;

export function createPipe(child: ConfinedChild): Pipe {
  const waiting = new Map<string, Waiting>();
  const flood = createFlood((method) => transport.onmessage?.({ jsonrpc: '2.0', method }));
  let made = 0;
  let noiseBytes = 0;
  let words = '';
  let isClosed = false;

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    flood.close();
    for (const each of waiting.values()) each.fail(endedUnderWay());
    waiting.clear();
    transport.onclose?.();
  }

  function noise(frame: string): void {
    noiseBytes += frame.length + lineCostBytes;
    // Programs that fail to serve often print the reason.
    words = `${words}${frame.slice(0, maxNoiseChars)}\n`.slice(-lastWordsChars);
    if (noiseBytes > maxNoiseBytes) void child.kill();
  }

  /** An honest server learns that it asks too often. */
  function refuse(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const error = { code: -32000, message: 'Too many requests.' };
    if (canWrite()) write(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  function receive(frame: string): void {
    // It was killed, but its pipe may still be full.
    if (noiseBytes > maxNoiseBytes) return;
    let parsed: unknown;
    try {
      parsed = parseMessage(frame, 'result', 'structuredContent');
    } catch {
      // Many servers greet or log on standard output.
      noise(frame);
      return;
    }
    if (typeof parsed !== 'object' || parsed === null) {
      noise(frame);
      return;
    }
    // Revision 2025-03-26 has batches.
    for (const each of Array.isArray(parsed) ? parsed : [parsed]) take(Object(each));
  }

  function take(message: Record<string, unknown>): void {
    if (typeof message.id === 'string' && message.method === undefined) {
      const one = waiting.get(message.id);
      if (one) {
        if (message.error === undefined) one.settle(message.result);
        else one.fail(new RemoteError(message.error));
        return;
      }
    }
    if (message.method === 'notifications/progress') {
      const params = message.params as Record<string, unknown> | undefined;
      const one = waiting.get(String(params?.progressToken));
      if (one) {
        tell(one, params);
        return;
      }
    }
    // Drop late replies to our own calls; everything else goes to the SDK.
    const isLate = typeof message.id === 'string' && message.id.startsWith('call-');
    const { method } = message;
    if (method === undefined ? isLate : typeof method !== 'string') return;
    if (typeof method === 'string' && !flood.admits(method)) {
      refuse(message.id);
      return;
    }
    transport.onmessage?.(withServerInfo(message) as unknown as JSONRPCMessage);
  }

  const read = createFrameReader(messageLimits, {
    onFrame: receive,
    onRefused(reason, head, tail) {
      const id = idAtEdges(head, tail);
      const one = typeof id === 'string' ? waiting.get(id) : undefined;
      if (typeof id === 'number') {
        transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Too large.' } });
        return;
      }
      // If its request is unknown, fail all of them, so that none waits forever.
      const concerned = one ? [one] : [...waiting.values()];
      for (const each of concerned) each.fail(reason === 'not_utf8' ? notText() : tooLarge());
    },
  });
  child.stdout?.on('data', read);
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-lastWordsChars);
  });
  void child.ended.then(close);

  const transport: Transport = {
    async start() {},
    async send(message) {
      write(JSON.stringify(message));
    },
    async close() {
      await child.kill();
      close();
    },
  };

  /** Calls of one turn of the event loop are sent in one write, because writing costs the most. */
  let unsent = '';
  function write(frame: string): void {
    if (!canWrite()) throw gone();
    if (unsent === '') setImmediate(flush);
    unsent += `${frame}\n`;
  }

  function canWrite(): boolean {
    return !isClosed && child.stdin?.writable === true;
  }

  function flush(): void {
    const frames = unsent;
    unsent = '';
    if (!child.stdin?.writable) return;
    child.stdin.write(frames);
    // The server does not read: unsent messages would fill our memory.
    if (child.stdin.writableLength > maxUnreadBytes) void child.kill();
  }

  return {
    transport,
    lastWords: () => words,
    isClosed: () => isClosed,
    async drained() {
      const { stderr } = child;
      if (!stderr || stderr.readableEnded || stderr.destroyed) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs);
        stderr.once('close', resolve);
        stderr.once('end', resolve);
      });
      clearTimeout(timer);
    },
    request(asked) {
      const { method, params, signal, progress } = asked;
      made += 1;
      const id = `call-${made}`;
      return new Promise((resolve, reject) => {
        const end = () => {
          waiting.delete(id);
          patience.end();
          signal.removeEventListener('abort', abort);
        };
        const give = (error: unknown, reason: string) => {
          end();
          reject(error);
          const note = { method: 'notifications/cancelled', params: { requestId: id, reason } };
          if (canWrite()) write(JSON.stringify({ jsonrpc: '2.0', ...note }));
        };
        const abort = () => give(cancelled(), 'The caller withdrew the call.');
        const patience = startPatience(asked, (error) => give(error, 'The time is over.'));
        if (signal.aborted) {
          patience.end();
          reject(cancelled());
          return;
        }
        signal.addEventListener('abort', abort, { once: true });
        waiting.set(id, {
          progress(...news) {
            patience.heard();
            progress?.(...news);
          },
          settle(result) {
            end();
            resolve(result);
          },
          fail(error) {
            end();
            reject(error);
          },
        });
        const meta = progress ? { ...(params._meta as object | undefined), progressToken: id } : params._meta;
        const sent = meta === undefined ? params : { ...params, _meta: meta };
        try {
          write(JSON.stringify({ jsonrpc: '2.0', id, method, params: sent }));
        } catch (error) {
          end();
          reject(error);
        }
      });
    },
  };
}

function tell({ progress }: Waiting, params: Record<string, unknown> | undefined): void {
  const { progress: done, total, message } = params ?? {};
  if (typeof done !== 'number') return;
  progress(
    done,
    typeof total === 'number' ? total : undefined,
    typeof message === 'string' ? message : undefined,
  );
}

/** The reply of a handshake with the name that MCP requires, which small servers leave out. */
function withServerInfo(message: Record<string, unknown>): Record<string, unknown> {
  const result = Object(message.result) as Record<string, unknown>;
  if (typeof result.protocolVersion !== 'string' || result.serverInfo !== undefined) return message;
  return { ...message, result: { ...result, serverInfo: { name: '', version: '' } } };
}

function endedUnderWay(): ToolError {
  return new ToolError(
    'upstream_error',
    text(
      'The server ended before it answered. It may have carried out the call.',
      'サーバーが応答の前に終了しました。呼び出しは実行された可能性があります。',
    ),
  );
}

function gone(): ToolError {
  return new ToolError('upstream_error', text('The server ended.', 'サーバーが終了しました。'));
}

function tooLarge(): ToolError {
  return new ToolError(
    'too_large',
    text('The answer of the server is too large.', 'サーバーの応答が大きすぎます。'),
    { suggestion: text('Ask for less at once.', '一度に求める量を減らしてください。') },
  );
}

function notText(): ToolError {
  return new ToolError(
    'upstream_error',
    text('The answer of the server is not valid.', 'サーバーの応答が不正です。'),
  );
}
