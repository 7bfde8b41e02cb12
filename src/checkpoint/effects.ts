import type { ConsentDependencies } from '../call/asking/consent.ts';
import { createLayerQuestions, type LayerQuestions } from '../call/effects/pending-layers.ts';
import type { Caps } from '../call/limits/caps.ts';
import type { RunDependencies } from '../call/run.ts';
import type { Settings } from '../config/settings.ts';
import type { EffectRules } from '../contract/effects.ts';
import type { Text } from '../contract/text/text.ts';
import { once } from '../ground/waiting/once.ts';
import { createCommandHistory } from './history.ts';
import type { Rooms } from './rooms.ts';

/** The rules about effects, loaded on first use. */
export function createEffectRules({ effectRules, mode }: Settings): () => Promise<EffectRules> {
  return once(async () => {
    const { createEffectRules: create } = await import('../call/policy/effects/decide.ts');
    return create(effectRules, mode);
  });
}

export interface Trials extends Pick<RunDependencies, 'lendCommands'> {
  readonly pending: LayerQuestions;
  readonly whyNoLayer: () => Promise<Text | undefined>;
}

/** Judges the effects of commands on layers, and keeps layers that wait for a person. */
export function createTrials(
  rooms: Rooms,
  rules: () => Promise<EffectRules>,
  asking: ConsentDependencies,
  caps: Caps | undefined,
): Trials {
  const history = createCommandHistory(rooms);
  const pending = createLayerQuestions(asking);
  return {
    pending,
    whyNoLayer: async () => (await rooms.commands()).withoutLayer(),
    async lendCommands(permit, notes) {
      const { createEffectsJudge } = await import('../call/effects/judge.ts');
      const audit = async () => (await rooms.store()).audit;
      const judge = createEffectsJudge(permit, { ...asking, rules: await rules(), pending, audit }, notes);
      const sent = caps && ((sentBytes: number) => caps.use(permit.caller, { sentBytes }));
      const life = { judge, history: await history(), sent };
      return (await rooms.commands()).forSession(permit.caller.sessionId, life);
    },
  };
}
