import { createEffectRules } from '../../src/call/policy/effects/decide.ts';
import type { EffectsJudge } from '../../src/contract/capabilities/command-life.ts';

const { decide, isObeyed, readChanges } = createEffectRules([], 'workspace-write');

/** The built-in rules about effects, for commands outside of a call. `mayGoOn` is the person's answer at a limit. */
export function createTestJudge(mayGoOn: (because: string) => boolean = () => false): EffectsJudge {
  return {
    isTried: false,
    readChanges,
    isObeyed,
    allows: (effects) => decide(effects, false).decision === 'allow',
    foresee: (effects) => decide(effects, true),
    settleWaiting: () => undefined,
    settle: () => Promise.reject(new Error('there is nobody to ask')),
    settleLate: async () => '',
    hold: () => ({
      ask: async (effects) => mayGoOn(decide(effects, false).because.en),
      assertNotRefused() {},
    }),
    askAboutRequest: async () => ({ isAllowed: false, because: { en: 'no', ja: 'no' } }),
    goesOn() {},
    ranDirectly() {},
  };
}
