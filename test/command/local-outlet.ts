import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { openKernel } from '../../src/command/seccomp/kernel.ts';
import { createProxy, type HostProxy, type HostProxyOptions } from '../../src/network/proxy/open.ts';
import type { Outlet } from '../../src/network/proxy/outlet.ts';

/** An outlet on a port of this machine: what a sandbox's loopback shows, without the sandbox. */
export function openLocalOutlet(options: Omit<HostProxyOptions, 'key'>): Promise<LocalOutlet> {
  return lendOutlet(createProxy({ key: 'process.network', ...options }));
}

export interface LocalOutlet {
  readonly port: number;
  readonly outlet: Outlet;
  /** Sends bytes and gives all that comes back until the end, or until `done` says that it is enough. */
  talk(bytes: string | Buffer, done?: (answer: string) => boolean): Promise<string>;
  dial(): Promise<Socket>;
}

/** One outlet of several that a proxy has. */
export async function lendOutlet(proxy: HostProxy): Promise<LocalOutlet> {
  const outlet = proxy.openOutlet();
  const { syscall } = await openKernel();
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  // Node shows the descriptor nowhere else; a copy of it is what a relay would send.
  const { fd } = (listening as unknown as { _handle: { fd: number } })._handle;
  outlet.adopt([syscall(process.arch === 'x64' ? 32 : 23, fd)]);
  await new Promise((resolve) => listening.close(resolve));

  const dial = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket));
      socket.once('error', reject);
    });
  return {
    port,
    outlet,
    dial,
    async talk(bytes, done = () => false) {
      const socket = await dial();
      socket.on('error', () => {});
      let answer = '';
      return new Promise((resolve) => {
        socket.on('data', (chunk: Buffer) => {
          answer += chunk.toString('latin1');
          if (done(answer)) socket.destroy();
        });
        socket.once('end', () => socket.destroy());
        socket.once('close', () => resolve(answer));
        socket.write(bytes);
      });
    },
  };
}
