import { hostname } from 'node:os';
import { nodeBeatMs } from '../../store/nodes.ts';
import type { HttpService } from '../../transport/http/serve.ts';
import type { Checkpoint } from '../open-checkpoint.ts';

/** A server's entry in its store's list, with its load every few seconds. A failed heartbeat does not stop it. */
export async function announce(
  checkpoint: Checkpoint,
  service: HttpService,
  onFault: (error: unknown) => void = () => {},
) {
  const startedAtMs = Date.now();
  const { host, port } = service.address;
  const { nodes, relay } = await checkpoint.store();
  const id = relay.node;
  let isDraining = false;
  let beating: Promise<void> = Promise.resolve();
  let isFailing = false;
  let last = { at: performance.now(), cpu: process.cpuUsage() };

  function beat(): void {
    const at = performance.now();
    const { user, system } = process.cpuUsage(last.cpu);
    const load = at > last.at ? (user + system) / 1000 / (at - last.at) : 0;
    last = { at, cpu: process.cpuUsage() };
    const state = {
      id,
      host: hostname(),
      address: `${host}:${port}`,
      version: checkpoint.gateway.info.version,
      pid: process.pid,
      startedAtMs,
      isDraining,
      calls: service.running,
      load,
      residentBytes: process.memoryUsage.rss(),
      roots: checkpoint.settings.roots.map(({ path }) => path),
    };
    beating = beating
      .then(() => nodes.beat(state))
      .then(
        () => {
          isFailing = false;
        },
        (error) => {
          // Report an outage once, not at each heartbeat.
          if (!isFailing) onFault(error);
          isFailing = true;
        },
      );
  }

  beat();
  const timer = setInterval(beat, nodeBeatMs);
  timer.unref();
  return {
    /** It accepts no new work from now on. */
    drain() {
      isDraining = true;
      beat();
    },
    async leave() {
      clearInterval(timer);
      await beating;
      await nodes.leave(id).catch(onFault);
    },
  };
}
