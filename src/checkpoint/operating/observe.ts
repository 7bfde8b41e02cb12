import { type Caller, metricsRole, operatorRoles } from '../../contract/caller.ts';
import type { CallWatch, CallWatcher } from '../../contract/observe.ts';
import type { TraceSettings } from '../../contract/trace.ts';
import { once } from '../../ground/waiting/once.ts';

export interface WatcherOptions {
  readonly version?: string | undefined;
  readonly trace?: TraceSettings | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export type Watchers = ReturnType<typeof createWatchers>;

/** The watchers of calls. Without any, nothing is loaded and calls cost nothing extra. */
export function createWatchers({ version = '0.0.0', trace, onFault }: WatcherOptions) {
  const watchers: CallWatcher[] = [];
  const tracing =
    trace &&
    once(async () => {
      try {
        const { openTracing } = await import('../../observe/tracing.ts');
        const opened = openTracing(trace, { version, onFault });
        watchers.push(opened);
        return opened;
      } catch (error) {
        // Calls continue without traces.
        onFault?.(error);
        return undefined;
      }
    });

  return {
    add: (watcher: CallWatcher): void => void watchers.push(watcher),
    begin(call: Parameters<CallWatcher['begin']>[0]): CallWatch | undefined {
      if (watchers.length > 1) return together(watchers.map((watcher) => watcher.begin(call)));
      return watchers[0]?.begin(call);
    },
    /** The first traced call waits until the tracer is loaded. */
    ready: (sooner: Promise<unknown>): Promise<unknown> =>
      tracing ? Promise.all([sooner, tracing()]) : sooner,
    async close(): Promise<void> {
      await (await tracing?.opened())?.close();
    },
  };
}

/** Operators may see all users' calls; agents may not, nor may a token for a part of the tools. */
export function mayObserve({ kind, role, toolsets, scopes }: Caller): 'too' | 'only' | undefined {
  if (kind === 'local') return 'too';
  if (kind !== 'user') return undefined;
  if (role === metricsRole) return 'only';
  if (scopes) return scopes.includes('admin') ? 'too' : undefined;
  return toolsets === undefined && role !== undefined && operatorRoles.includes(role) ? 'too' : undefined;
}

function together(watches: readonly CallWatch[]): CallWatch {
  return {
    trace: watches.find((watch) => watch.trace)?.trace,
    reached(stop) {
      for (const watch of watches) watch.reached(stop);
    },
    ended(end) {
      for (const watch of watches) watch.ended(end);
    },
  };
}
