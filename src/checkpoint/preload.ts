import { setImmediate as giveWay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Rooms } from './rooms.ts';

interface Preloaded {
  readonly settings: Settings;
  readonly rooms: Pick<Rooms, 'commands'>;
}

/**
 * Loads the first call's code while the server is idle: on a fresh server, loading took longer than the call. Nothing
 * is opened, so a server that is only asked for its tools leaves no records.
 */
export function createPreloader({ settings, rooms }: Preloaded): {
  /** The tools were listed, so a call is likely next. */
  soon(): void;
  stop(): void;
} {
  let hasBegun = false;
  let timer = setTimeout(load, unaskedMs).unref();

  function soon(): void {
    if (hasBegun) return;
    clearTimeout(timer);
    timer = setTimeout(load, afterListMs).unref();
  }

  async function load(): Promise<void> {
    hasBegun = true;
    for (const part of partsFor(settings, rooms)) {
      // The code that needs it loads it again and gets the error.
      await part().catch(() => {});
      // One at a time, so that a message that arrives waits for only one of them.
      await giveWay();
    }
  }

  return { soon, stop: () => clearTimeout(timer) };
}

function partsFor(
  { storeUrl, history, toolsets, process: { sandbox } }: Settings,
  rooms: Preloaded['rooms'],
): readonly (() => Promise<unknown>)[] {
  const runsCommands = toolsets.some((name) => name === 'agent-cli' || name === 'assistant');
  return [
    () => import('../files/workspace.ts'),
    () => import('../judgement/judge.ts'),
    () => import('../call/policy/policy.ts'),
    () =>
      storeUrl.startsWith('sqlite:')
        ? import('../store/sqlite/open-sqlite.ts')
        : import('../store/postgres/open-postgres.ts'),
    () => import('../store/open-store.ts'),
    ...(history.enabled ? [() => import('../history/open.ts')] : []),
    // Looks at folders and starts nothing, so that the first command need not wait for it.
    ...(runsCommands && sandbox !== 'off' ? [async () => (await rooms.commands()).toolchains()] : []),
  ];
}

/** Long enough for the reply to be sent, and for a client that starts many servers to continue. */
const afterListMs = 30;
/** Some clients call without listing. */
const unaskedMs = 1000;
