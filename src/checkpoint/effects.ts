import type { ConsentDependencies } from '../call/asking/consent.ts';
import { createHeldTrials } from '../call/effects/held.ts';
import type { RunDependencies } from '../call/run.ts';
import type { Settings } from '../config/settings.ts';
import type { Commands, RunResult } from '../contract/capabilities/process.ts';
import type { DecideEffects } from '../contract/effects.ts';
import { once } from '../ground/once.ts';
import type { Rooms } from './rooms.ts';

/** The rules about effects, read at their first need. */
export function createEffectRules({ effectRules }: Settings): () => Promise<DecideEffects> {
  return once(async () => {
    const { createDecideEffects } = await import('../call/policy/effects/decide.ts');
    return createDecideEffects(effectRules);
  });
}

/** The same commands; what the rules would make of a dry run is told with it. */
export function withVerdicts(commands: Commands, rules: () => Promise<DecideEffects>): Commands {
  const judged = async (result: RunResult): Promise<RunResult> =>
    result.dryRun ? { ...result, verdict: (await rules())(result.dryRun) } : result;
  return {
    ...commands,
    run: async (line, options) => judged(await commands.run(line, options)),
    async attend(line, options) {
      const attended = await commands.attend(line, options);
      return attended.kind === 'ended' ? { ...attended, result: await judged(attended.result) } : attended;
    },
  };
}

/** Has commands run on a layer first, and holds what waits for a person. */
export function createTrials(rooms: Rooms, effects: () => Promise<DecideEffects>, now: () => number) {
  const held = createHeldTrials({ approvals: async () => (await rooms.store()).approvals, now });
  return {
    held,
    whyNoLayer: async () => (await rooms.commands()).withoutLayer(),
    onLayer:
      (dependencies: () => ConsentDependencies): RunDependencies['onLayer'] =>
      async (commands, permit, notes) => {
        const { onLayer } = await import('../call/effects/on-layer.ts');
        return onLayer(commands, permit, { ...dependencies(), effects, held }, notes);
      },
  };
}
