import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { openWeb, type WebOptions } from '../../src/network/web.ts';

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/**
 * A site on this machine that names in `.test` lead to, a listening canary that no fetch may ever reach, and a
 * `web` that is allowed the site alone.
 */
export async function openSite(
  handler: Handler,
  options: Omit<WebOptions, 'resolve' | 'allowHosts'> & {
    readonly allowHosts?: (canaryPort: number) => readonly string[];
    readonly resolve?: (host: string, canaryPort: number) => Promise<readonly string[]>;
  } = {},
) {
  const server = http.createServer(handler);
  const canary = net.createServer();
  let touched = 0;
  canary.on('connection', (socket) => {
    touched++;
    socket.destroy();
  });
  await Promise.all([listen(server), listen(canary)]);
  const { port } = server.address() as AddressInfo;
  const canaryPort = (canary.address() as AddressInfo).port;
  const looked: string[] = [];
  const { resolve, allowHosts, ...rest } = options;
  const web = openWeb({
    allowPrivate: [`127.0.0.1:${port}`],
    allowHosts: allowHosts?.(canaryPort),
    ...rest,
    resolve: async (host) => {
      looked.push(host);
      return resolve ? resolve(host, canaryPort) : ['127.0.0.1'];
    },
  });
  return {
    web,
    port,
    canaryPort,
    looked,
    /** How often somebody connected to the canary. */
    touched: () => touched,
    url: (path: string) => `http://site.test:${port}${path}`,
    async get(path: string, signal = new AbortController().signal) {
      return web.fetch(path.startsWith('http') ? path : `http://site.test:${port}${path}`, signal);
    },
    async close() {
      await web.close();
      server.closeAllConnections();
      await Promise.all([
        new Promise((done) => server.close(done)),
        new Promise((done) => canary.close(done)),
      ]);
    },
  };
}

function listen(server: net.Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}
