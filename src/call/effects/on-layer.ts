import { randomUUID } from 'node:crypto';
import type { Commands, RunResult } from '../../contract/capabilities/process.ts';
import { callDigest } from '../approve.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { type SettleDependencies, settle } from './settle.ts';

/**
 * The same commands, each run on a layer; it returns when what it did has landed. A call that was made before, and
 * whose layer waits for a person, goes on with that and runs nothing.
 */
export function onLayer(
  commands: Commands,
  permit: Permit,
  dependencies: SettleDependencies,
  notes: RunNotes,
): Commands {
  const digest = callDigest(permit, permit.risk);
  const run: Commands['run'] = async (line, options): Promise<RunResult> => {
    const held = dependencies.held.take(permit, digest) ?? {
      trial: await commands.runOnLayer(line, options),
      digest: randomUUID(),
    };
    return settle(held, permit, digest, dependencies, notes);
  };
  return {
    ...commands,
    run,
    // Like a dry run it ends with its call.
    attend: async (line, options) => ({
      kind: 'ended',
      result: await run(line, { ...options, timeoutMs: Math.min(options.timeoutMs, options.handOverMs) }),
    }),
    // Policy lets nothing on a layer that goes on after its call.
    start: () => Promise.reject(new Error('nothing is started in the background on a layer')),
  };
}
