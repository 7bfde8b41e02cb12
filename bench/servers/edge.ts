/** Three proxies to one host: one whose requests are looked into, one that swaps a credential too, and a tunnel. Tells their ports and the authority over IPC. */
import { createProxy } from '../../src/network/proxy/open.ts';
import { lendOutlet } from '../../test/command/local-outlet.ts';

process.once('message', async ({ port, certificate }: { port: number; certificate: string }) => {
  const entries = [`origin.test:${port}`, `127.0.0.2:${port}`];
  const options = {
    entries,
    key: 'process.network',
    resolve: async () => ['127.0.0.2'],
    trusted: () => certificate,
  };
  const edge = createProxy({ ...options, tunnels: [] });
  const keyed = createProxy({
    ...options,
    tunnels: [],
    secrets: {
      rules: [{ name: 'a', hosts: [`origin.test:${port}`], as: ['bearer'], variable: 'KEY', username: 'me' }],
      valueOf: () => 'ghp_Kq7LmNo5pQr6StU8vWx9yZaB1cD2eF3gH4i',
      whyNone: () => undefined,
      refresh: () => undefined,
    },
  });
  const [inspected, tunnel] = [await lendOutlet(edge), await lendOutlet(createProxy(options))];
  const swapping = await lendOutlet(keyed);
  // Nobody answers.
  inspected.outlet.attend({ isFrom: () => true, services: new Set(), ask: () => new Promise(() => {}) });
  process.on('message', () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.(heapUsed + external);
  });
  process.send?.({
    edge: inspected.port,
    tunnel: tunnel.port,
    authority: edge.authority,
    keyed: { port: swapping.port, authority: keyed.authority, standIn: keyed.environment.KEY },
  });
});
