import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Arrival } from '../contract/call.ts';
import type { Gateway } from '../contract/gateway.ts';
import { limits } from '../contract/limits.ts';
import { createFrameReader } from '../contract/text/frames.ts';
import { fairBytes, giveWay } from '../ground/waiting/fair-reading.ts';
import { createMcp, type McpExtension } from './mcp.ts';
import { createOutbox } from './outbox.ts';
import { StdioConnection, type StdioConnectionOptions } from './stdio-connection.ts';

export interface StdioOptions extends StdioConnectionOptions {
  readonly gateway: Gateway;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes?: number | undefined;
  /** Stops serving: no new requests, and running ones end at once, so that what they did is kept before a client kills us. */
  readonly signal?: AbortSignal | undefined;
  readonly arrival?: Partial<Arrival> | undefined;
  readonly extension?: McpExtension | undefined;
  /** Lines that an earlier server of this connection has answered. */
  readonly replayed?: readonly string[] | undefined;
}

/** How often to check for the reader while requests run after the end of the input. */
const readerProbeMs = 200;
/** How long to wait for stopped requests before exiting without them. */
const lastWaitMs = 2 * limits.killGraceMs;

/**
 * Serves every MCP revision over two streams, one JSON message per line. `closed` resolves when the input has ended or
 * the signal aborts, every running request is answered or stopped, and the replies are written.
 */
export function serveStdio(options: StdioOptions): { readonly closed: Promise<void> } {
  const { gateway, input, output, signal } = options;
  const mcp = createMcp(gateway, options.extension);
  const outbox = createOutbox(output);
  const arrival: Arrival = { transport: 'stdio', connectionId: randomUUID(), ...options.arrival };
  const connection = new StdioConnection(mcp, arrival, outbox, options);
  for (const line of options.replayed ?? []) connection.replay(line);
  const maxBytes = options.maxMessageBytes ?? limits.stdioMessageBytes;
  const read = createFrameReader(
    { maxBytes, maxValues: limits.messageValues, maxDepth: limits.messageDepth },
    {
      onReceived: options.custody?.onReceived,
      onFrame: (text) => connection.receive(text),
      onRefused: (reason, head, tail) => connection.refuse(reason, head, tail),
    },
  );

  const gaveUp = Promise.withResolvers<void>();
  let lastWait: NodeJS.Timeout | undefined;
  let isOver = false;
  /** Stopped work gets a moment; after that the server no longer waits. */
  function stop(): void {
    if (isOver) return;
    connection.stop();
    lastWait ??= setTimeout(gaveUp.resolve, lastWaitMs);
  }

  async function run(): Promise<void> {
    await inputEnd();
    // A closed reader is only noticed by writing; JSON parsers ignore a space.
    const probe = setInterval(() => {
      if (!output.writableNeedDrain) output.write(' ');
    }, readerProbeMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    await Promise.race([connection.idle(), gaveUp.promise]);
    isOver = true;
    signal?.removeEventListener('abort', stop);
    clearInterval(probe);
    clearTimeout(lastWait);
    await connection.close().catch(options.onFault ?? (() => {}));
    await outbox.flushed();
  }

  function inputEnd(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        input.off('data', onData);
        input.pause();
        resolve();
      };
      const resume = () => {
        if (input.listeners('data').includes(onData)) input.resume();
      };
      const onData = (chunk: Buffer) => {
        read(chunk);
        options.custody?.looked();
        if (outbox.isCongested()) {
          input.pause();
          void outbox.drained().then(resume);
        } else if (chunk.length >= fairBytes) giveWay(input, resume);
      };
      if (signal?.aborted || input.readableEnded || input.destroyed) return resolve();
      signal?.addEventListener('abort', done, { once: true });
      input.once('end', done).once('close', done).once('error', done);
      output.once('close', done).once('error', done);
      output.once('error', stop).once('close', stop);
      input.on('data', onData);
    });
  }

  return { closed: run() };
}
