import { setImmediate as giveWay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Checkpoint } from './open.ts';

/**
 * Loads what the first call will need while nobody waits: at a server that just started, loading took longer than
 * the call. Nothing is opened, so a server that is only asked for its tools leaves no records behind.
 */
export function createPreloader({ settings, rooms }: Pick<Checkpoint, 'settings' | 'rooms'>): {
  /** The tools were listed: a call comes next. */
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
      // Whoever needs it loads it again and hears what is wrong.
      await part().catch(() => {});
      // One at a time, so that a message that comes meanwhile waits for no more than one of them.
      await giveWay();
    }
  }

  return { soon, stop: () => clearTimeout(timer) };
}

function partsFor(
  { storeUrl, history, toolsets, process: { sandbox } }: Settings,
  rooms: Checkpoint['rooms'],
): readonly (() => Promise<unknown>)[] {
  const runsCommands = toolsets.some((name) => name === 'agent-cli' || name === 'assistant');
  return [
    () => import('../confine/files/workspace.ts'),
    () => import('../confine/judgement/judge.ts'),
    () => import('../call/policy/policy.ts'),
    () =>
      storeUrl.startsWith('sqlite:')
        ? import('../store/sqlite/open.ts')
        : import('../store/postgres/open.ts'),
    () => import('../store/open.ts'),
    ...(history.enabled ? [() => import('../confine/history/open.ts')] : []),
    // Looks at folders and starts nothing, and the first command does not wait for it.
    ...(runsCommands && sandbox !== 'off' ? [async () => (await rooms.commands()).toolchains()] : []),
  ];
}

/** Long enough for the answer to have left, and for a client that starts many servers to go on. */
const afterListMs = 30;
/** Some clients call without listing. */
const unaskedMs = 1000;
