import { connect, createServer, type Socket } from 'node:net';

/** The line between a server and its database, which can be cut: what is sent then goes nowhere, and nobody is told. */
export interface Line {
  readonly url: string;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const url = new URL(databaseUrl);
  url.port = String(port);
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      // What was swallowed meanwhile comes never again: both ends notice now, as they would by the next packet.
      drop();
    },
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
