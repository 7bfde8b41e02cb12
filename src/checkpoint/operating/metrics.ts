import type { Registry } from 'prom-client';
import { once } from '../../ground/waiting/once.ts';
import { sharing } from '../../ground/waiting/sharing.ts';
import type { Checkpoint } from '../open-checkpoint.ts';

/** Counts a checkpoint's calls, and makes the text of `/metrics`. Other rooms are read only when it is requested. */
export async function createMetrics(
  checkpoint: Checkpoint,
  sessions: () => number,
): Promise<() => Promise<string>> {
  const { createCallCounts } = await import('../../observe/call-counts.ts');
  const counts = createCallCounts();
  checkpoint.watch(counts);
  const pages = once(async () => {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    return async () => {
      const ofRooms = new Registry();
      await measureRooms(checkpoint, await measuring(ofRooms), sessions());
      return await Registry.merge([counts.registry, ofRooms, ofProcess]).metrics();
    };
  });
  // Concurrent scrapes share one collection.
  return sharing(async () => (await pages())());
}

type Labels = Readonly<Record<string, string>>;

/** Writes down a value, or one for each set of labels. */
type Measure = (
  name: string,
  help: string,
  value: number | readonly { readonly labels: Labels; readonly value: number }[],
) => void;

async function measuring(registry: Registry): Promise<Measure> {
  const { Counter, Gauge } = await import('prom-client');
  return (name, help, value) => {
    const samples = typeof value === 'number' ? [{ labels: {}, value }] : value;
    const Kind = name.endsWith('_total') ? Counter : Gauge;
    const labelNames = Object.keys(samples[0]?.labels ?? {});
    const metric = new Kind({ name, help, labelNames, registers: [registry] });
    for (const { labels, value } of samples) metric.inc(labels, value);
  };
}

async function measureRooms(
  { gateway, rooms, store }: Checkpoint,
  measure: Measure,
  sessions: number,
): Promise<void> {
  const { version } = gateway.info;
  measure('sekisho_sessions', 'Open sessions of clients of older revisions.', sessions);
  measure('sekisho_build_info', 'Always 1; the labels say what runs.', [
    { labels: { version, node: process.version }, value: 1 },
  ]);
  const counts = (await rooms.commands.opened())?.counts();
  measure('sekisho_commands_running', 'Commands that run in their sandboxes.', [
    { labels: { kind: 'foreground' }, value: counts?.foreground ?? 0 },
    { labels: { kind: 'background' }, value: counts?.background ?? 0 },
  ]);
  measure(
    'sekisho_sandbox_starts_total',
    'Commands and stages of pipelines that were started.',
    counts?.started ?? 0,
  );
  const kept = (await rooms.history.opened())?.keptBytes();
  if (kept !== undefined) {
    measure('sekisho_history_bytes', 'Former contents that are kept, when last tended.', kept);
  }
  const upstreams = await rooms.upstreams.opened();
  if (upstreams) measureServers(upstreams.status(), measure);
  await measureStore(await store(), measure);
}

type Statuses = ReturnType<Awaited<ReturnType<Checkpoint['rooms']['upstreams']>>['status']>;

/** The names are the operator's, from the configuration. */
function measureServers(statuses: Statuses, measure: Measure): void {
  const served = statuses.filter(({ state }) => state !== 'disabled');
  const each = (name: string, help: string, value: (status: Statuses[number]) => number) =>
    measure(
      name,
      help,
      served.map((status) => ({ labels: { server: status.name }, value: value(status) })),
    );
  each(
    'sekisho_server_up',
    'Is the proxied server connected? One that nobody needed yet is not.',
    ({ state }) => (state === 'ready' ? 1 : 0),
  );
  each(
    'sekisho_server_failed',
    'Did its last start or run fail, or can its pins not be believed?',
    ({ state }) => (state === 'failed' || state === 'closed' ? 1 : 0),
  );
  each(
    'sekisho_server_starts_total',
    'How often it was started or connected; more than once is a restart.',
    ({ starts }) => starts ?? 0,
  );
  each(
    'sekisho_server_tools_held',
    'Its tools that wait for a person to look at them.',
    ({ held }) => held.length,
  );
}

/** An unreachable store is a measurement as well. */
async function measureStore(
  { approvals, audit, engine }: Awaited<ReturnType<Checkpoint['store']>>,
  measure: Measure,
): Promise<void> {
  measure('sekisho_audit_queue', 'Records that wait to be written.', audit.backlog());
  const beganAt = performance.now();
  let isUp = 1;
  try {
    const pending = await approvals.list('pending', Date.now());
    measure('sekisho_approvals_pending', 'Questions that wait for a person, the newest.', pending.length);
    measure(
      'sekisho_store_read_seconds',
      'How long the store took for one look.',
      (performance.now() - beganAt) / 1000,
    );
    const wakeups = (await engine()).wakeups?.();
    if (wakeups && wakeups.state !== 'idle') {
      measure(
        'sekisho_store_hears',
        'Do notifications of other servers come through? Where not, a pooler may be in between.',
        wakeups.state === 'working' ? 1 : 0,
      );
      measure(
        'sekisho_store_look_seconds',
        'The longest that a lost notification delays a waiting agent.',
        wakeups.pollEveryMs / 1000,
      );
    }
  } catch {
    // That it does not answer is the measurement.
    isUp = 0;
  }
  measure('sekisho_store_up', 'Does the store answer?', isUp);
}
