import { createServer, type Server, type Socket } from 'node:net';
import type { Flags } from '../../config/settings.ts';
import type { Said } from '../../hooks/event.ts';
import { askServer } from './client.ts';
import { type EventRequest, maxEventBytes, quickSocketOf, socketOf } from './socket.ts';

interface Quick {
  readonly flags: Flags;
  /** Our own socket, by which other hooks find us. */
  readonly socket: string;
  readonly hold: (connection: Socket) => void;
  readonly listen: (server: Server, path: string) => Promise<() => void>;
  readonly decide: (event: EventRequest) => Promise<Said>;
}

/**
 * Serves hooks without a runtime: they send the client's name, their folder and the event, and close their half.
 * Unanswered requests are repeated through Node, so a connection that ends without an answer permits nothing.
 */
export async function listenQuickly({ flags, socket, hold, listen, decide }: Quick): Promise<() => void> {
  const script = process.argv[1] ?? '';
  const config = flags.config ?? '';
  const present = () => socketOf(['--config', config], script);
  if (present() !== socket) return () => {};

  async function answer(event: EventRequest): Promise<Said> {
    // The configuration may have changed since.
    const theirs = present();
    return theirs === socket ? decide(event) : askServer(theirs, event, undefined);
  }

  const server = createServer({ allowHalfOpen: true }, (connection) => {
    hold(connection);
    const chunks: Buffer[] = [];
    let bytes = 0;
    connection.on('error', () => connection.destroy());
    connection.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxEventBytes) connection.destroy();
    });
    connection.on('end', () => {
      const told = readTold(Buffer.concat(chunks).toString('utf8'));
      if (!told) connection.destroy();
      else {
        answer(told).then(
          (said) => connection.end(inBytes(said)),
          () => connection.destroy(),
        );
      }
    });
  });
  const forget = await listen(server, quickSocketOf(config, script));
  return () => {
    forget();
    server.close();
  };
}

function readTold(words: string): EventRequest | undefined {
  const [, client, folder, event] = /^([a-z]+)\0(\/[^\0]*)\0([\s\S]*)$/.exec(words) ?? [];
  if (client === undefined || folder === undefined || event === undefined) return undefined;
  return { kind: 'event', client, event, folder };
}

/** The exit status, the stream that the client then reads, and the text for it. */
function inBytes({ stdout, stderr, exitCode }: Said): Buffer {
  const words = Buffer.from(exitCode === 0 ? stdout : stderr);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(exitCode, 0);
  head.writeUInt32LE(exitCode === 0 ? 1 : 2, 4);
  head.writeUInt32LE(words.length, 8);
  return Buffer.concat([head, words]);
}
