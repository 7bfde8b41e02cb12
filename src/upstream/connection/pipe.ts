import { finished } from 'node:stream/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ConfinedChild } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { createFrameReader, idAtEdges, type Refusal } from '../../contract/text/frames.ts';
import { text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { parseMessage } from '../../ground/exact-numbers.ts';
import { orElse } from '../../ground/or-else.ts';
import { fairBytes, giveWay } from '../../ground/waiting/fair-reading.ts';
import { createFlood } from './flood.ts';
import { startPatience } from './patience.ts';
import { RemoteError, type RemoteRequest } from './remote.ts';

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

/** An SDK transport over a child's pipes, with a fast path for calls, which skips schemas. */
export class Pipe {
  readonly #child: ConfinedChild;
  readonly #waiting = new Map<string, Waiting>();
  readonly #flood = createFlood((method) => this.transport.onmessage?.({ jsonrpc: '2.0', method }));
  #made = 0;
  #noiseBytes = 0;
  #words = '';
  #isClosed = false;
  readonly transport: Transport = {
    start: async () => {},
    send: async (message) => this.#write(JSON.stringify(message)),
    close: async () => {
      await this.#child.kill();
      this.#close();
    },
  };
  /** Calls of one turn of the event loop are sent in one write, because writing costs the most. */
  #unsent = '';

  constructor(child: ConfinedChild) {
    this.#child = child;
    const onFrame = (frame: string) => this.#receive(frame);
    const read = createFrameReader(messageLimits, { onFrame, onRefused: this.#onRefused });
    const { stdout } = child;
    stdout?.on('data', (chunk: Buffer) => {
      read(chunk);
      if (chunk.length >= fairBytes) giveWay(stdout, () => stdout.resume());
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#words = (this.#words + chunk.toString('utf8')).slice(-lastWordsChars);
    });
    void child.ended.then(() => this.#close());
  }

  /** The end of its stderr and of output that was no message. */
  lastWords(): string {
    return this.#words;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the output of an ended child was read to the end, or soon after. */
  async drained(): Promise<void> {
    const { stderr } = this.#child;
    if (!stderr || stderr.readableEnded || stderr.destroyed) return;
    // The words so far are enough.
    await finished(stderr, { writable: false, signal: AbortSignal.timeout(drainMs) }).catch(() => {});
  }

  request(asked: RemoteRequest): Promise<unknown> {
    const { method, params, signal, progress } = asked;
    this.#made += 1;
    const id = `call-${this.#made}`;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(id);
        patience.end();
        signal.removeEventListener('abort', abort);
      };
      const give = (error: unknown, reason: string) => {
        end();
        reject(error);
        const note = { method: 'notifications/cancelled', params: { requestId: id, reason } };
        if (this.#canWrite()) this.#write(JSON.stringify({ jsonrpc: '2.0', ...note }));
      };
      const abort = () => give(cancelled(), 'The caller withdrew the call.');
      const patience = startPatience(asked, (error) => give(error, 'The time is over.'));
      if (signal.aborted) {
        patience.end();
        reject(cancelled());
        return;
      }
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.set(id, {
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
        this.#write(JSON.stringify({ jsonrpc: '2.0', id, method, params: sent }));
      } catch (error) {
        end();
        reject(error);
      }
    });
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#flood.close();
    for (const each of this.#waiting.values()) each.fail(endedUnderWay());
    this.#waiting.clear();
    this.transport.onclose?.();
  }

  #noise(frame: string): void {
    this.#noiseBytes += frame.length + lineCostBytes;
    // Programs that fail to serve often print the reason.
    this.#words = `${this.#words}${frame.slice(0, maxNoiseChars)}\n`.slice(-lastWordsChars);
    if (this.#noiseBytes > maxNoiseBytes) void this.#child.kill();
  }

  /** An honest server learns that it asks too often. */
  #refuse(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const error = { code: -32000, message: 'Too many requests.' };
    if (this.#canWrite()) this.#write(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  #receive(frame: string): void {
    // It was killed, but its pipe may still be full.
    if (this.#noiseBytes > maxNoiseBytes) return;
    // Many servers greet or log on standard output, and refusing a line is dear to the parser.
    const parsed = /^\s*[{[]/.test(frame) ? parsedFrom(frame) : undefined;
    if (typeof parsed !== 'object' || parsed === null) {
      this.#noise(frame);
      return;
    }
    // Revision 2025-03-26 has batches.
    for (const each of Array.isArray(parsed) ? parsed : [parsed]) this.#take(Object(each));
  }

  #take(message: Record<string, unknown>): void {
    if (typeof message.id === 'string' && message.method === undefined) {
      const one = this.#waiting.get(message.id);
      if (one) {
        if (message.error === undefined) one.settle(message.result);
        else one.fail(new RemoteError(message.error));
        return;
      }
    }
    if (message.method === 'notifications/progress') {
      const params = message.params as Record<string, unknown> | undefined;
      const one = this.#waiting.get(String(params?.progressToken));
      if (one) {
        tell(one, params);
        return;
      }
    }
    // Drop late replies to our own calls; everything else goes to the SDK.
    const isLate = typeof message.id === 'string' && message.id.startsWith('call-');
    const { method } = message;
    if (method === undefined ? isLate : typeof method !== 'string') return;
    if (typeof method === 'string' && !this.#flood.admits(method)) {
      this.#refuse(message.id);
      return;
    }
    this.transport.onmessage?.(withServerInfo(message) as unknown as JSONRPCMessage);
  }

  readonly #onRefused = (reason: Refusal, head: string, tail: string): void => {
    const id = idAtEdges(head, tail);
    const one = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    if (typeof id === 'number') {
      this.transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Too large.' } });
      return;
    }
    // If its request is unknown, fail all of them, so that none waits forever.
    const concerned = one ? [one] : [...this.#waiting.values()];
    for (const each of concerned) each.fail(reason === 'not_utf8' ? notText() : tooLarge());
  };

  #write(frame: string): void {
    if (!this.#canWrite()) throw gone();
    if (this.#unsent === '') setImmediate(() => this.#flush());
    this.#unsent += `${frame}\n`;
  }

  #canWrite(): boolean {
    return !this.#isClosed && this.#child.stdin?.writable === true;
  }

  #flush(): void {
    const frames = this.#unsent;
    this.#unsent = '';
    if (!this.#child.stdin?.writable) return;
    this.#child.stdin.write(frames);
    // The server does not read: unsent messages would fill our memory.
    if (this.#child.stdin.writableLength > maxUnreadBytes) void this.#child.kill();
  }
}

function parsedFrom(frame: string): unknown {
  return orElse(() => parseMessage(frame, 'result', 'structuredContent'), undefined);
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
    'The server ended before it answered. It may have carried out the call.',
    'サーバーが応答の前に終了しました。呼び出しは実行された可能性があります。',
  );
}

function gone(): ToolError {
  return new ToolError('upstream_error', 'The server ended.', 'サーバーが終了しました。');
}

function tooLarge(): ToolError {
  return new ToolError(
    'too_large',
    'The answer of the server is too large.',
    'サーバーの応答が大きすぎます。',
    text('Ask for less at once.', '一度に求める量を減らしてください。'),
  );
}

function notText(): ToolError {
  return new ToolError(
    'upstream_error',
    'The answer of the server is not valid.',
    'サーバーの応答が不正です。',
  );
}
