import { once } from '../../ground/waiting/once.ts';
import { sharing } from '../../ground/waiting/sharing.ts';
import { exposition, gauge, type Series } from '../../observe/exposition.ts';
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
    const { callSeries } = await import('../../observe/call-series.ts');
    const { createProcessSeries } = await import('../../observe/process-series.ts');
    const processSeries = createProcessSeries();
    return async () =>
      exposition([
        ...callSeries(counts),
        ...(await roomSeries(checkpoint)),
        gauge('sekisho_sessions', 'Open sessions of clients of older revisions.', sessions()),
        {
          ...gauge('sekisho_build_info', 'Always 1; the labels say what runs.', 1),
          samples: [
            { labels: { version: checkpoint.gateway.info.version, node: process.version }, value: 1 },
          ],
        },
        ...processSeries(),
      ]);
  });
  // Concurrent scrapes share one collection.
  return sharing(async () => (await pages())());
}

async function roomSeries({ rooms, store }: Checkpoint): Promise<readonly Series[]> {
  const series: Series[] = [];
  const commands = await rooms.commands.opened();
  const { foreground, background, started } = commands?.counts() ?? {
    foreground: 0,
    background: 0,
    started: 0,
  };
  series.push({
    name: 'sekisho_commands_running',
    help: 'Commands that run in their sandboxes.',
    type: 'gauge',
    samples: [
      { labels: { kind: 'foreground' }, value: foreground },
      { labels: { kind: 'background' }, value: background },
    ],
  });
  series.push({
    ...gauge('sekisho_sandbox_starts_total', 'Commands and stages of pipelines that were started.', started),
    type: 'counter',
  });
  const kept = (await rooms.history.opened())?.keptBytes();
  if (kept !== undefined) {
    series.push(gauge('sekisho_history_bytes', 'Former contents that are kept, when last tended.', kept));
  }
  const upstreams = await rooms.upstreams.opened();
  if (upstreams) series.push(...serverSeries(upstreams.status()));
  series.push(...(await storeSeries(await store())));
  return series;
}

type Statuses = ReturnType<Awaited<ReturnType<Checkpoint['rooms']['upstreams']>>['status']>;

/** The names are the operator's, from the configuration. */
function serverSeries(statuses: Statuses): readonly Series[] {
  const served = statuses.filter(({ state }) => state !== 'disabled');
  const each = (name: string, help: string, value: (status: Statuses[number]) => number): Series => ({
    name,
    help,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    samples: served.map((status) => ({ labels: { server: status.name }, value: value(status) })),
  });
  return [
    each(
      'sekisho_server_up',
      'Is the proxied server connected? One that nobody needed yet is not.',
      ({ state }) => (state === 'ready' ? 1 : 0),
    ),
    each(
      'sekisho_server_failed',
      'Did its last start or run fail, or can its pins not be believed?',
      ({ state }) => (state === 'failed' || state === 'closed' ? 1 : 0),
    ),
    each(
      'sekisho_server_starts_total',
      'How often it was started or connected; more than once is a restart.',
      ({ starts }) => starts ?? 0,
    ),
    each(
      'sekisho_server_tools_held',
      'Its tools that wait for a person to look at them.',
      ({ held }) => held.length,
    ),
  ];
}

/** An unreachable store is a measurement as well. */
async function storeSeries({
  approvals,
  audit,
  engine,
}: Awaited<ReturnType<Checkpoint['store']>>): Promise<readonly Series[]> {
  const series = [gauge('sekisho_audit_queue', 'Records that wait to be written.', audit.backlog())];
  const beganAt = performance.now();
  try {
    const pending = await approvals.list('pending', Date.now());
    series.push(
      gauge('sekisho_approvals_pending', 'Questions that wait for a person, the newest.', pending.length),
      gauge(
        'sekisho_store_read_seconds',
        'How long the store took for one look.',
        (performance.now() - beganAt) / 1000,
      ),
      gauge('sekisho_store_up', 'Does the store answer?', 1),
    );
    const wakeups = (await engine()).wakeups?.();
    if (wakeups && wakeups.state !== 'idle') {
      series.push(
        gauge(
          'sekisho_store_hears',
          'Do notifications of other servers come through? Where not, a pooler may be in between.',
          wakeups.state === 'working' ? 1 : 0,
        ),
        gauge(
          'sekisho_store_look_seconds',
          'The longest that a lost notification delays a waiting agent.',
          wakeups.pollEveryMs / 1000,
        ),
      );
    }
  } catch {
    // That it does not answer is the measurement.
    series.push(gauge('sekisho_store_up', 'Does the store answer?', 0));
  }
  return series;
}
