import type { Attribution } from '../../contract/capabilities/history.ts';
import type { LandingKeeper } from '../../contract/capabilities/landing.ts';
import type { EffectRules } from '../../contract/effects.ts';
import type { Named } from '../../git/find-repositories.ts';
import { LayerUnfit } from '../layer/in-use.ts';
import type { LeftLayer } from '../layer/open.ts';
import { heldNames } from '../layer/protection.ts';
import { type LandedWhole, landAll, surveyFor } from './trial.ts';

export interface SettleLeftOptions {
  readonly rules: EffectRules;
  readonly keeperFor: (who: Attribution) => LandingKeeper;
  /** Receives lines about the ended commands, and whether their changes landed. */
  readonly tell: (line: string) => void;
}

/**
 * Lands the changes of a command that had ended when its server was killed. If a rule objects, or others changed the
 * same paths since, the layer is discarded, because no person can be asked.
 */
export async function settleLeft(
  { command, layer }: LeftLayer,
  { rules, keeperFor, tell }: SettleLeftOptions,
  guarded: (land: () => Promise<LandedWhole>, left: Named[]) => Promise<unknown>,
): Promise<void> {
  const { who, roots, folders, names, isTried } = command;
  const keeper = keeperFor(who);
  const isHeld = heldNames(folders, names);
  const toldOf = (came: string) =>
    tell(`[layer: its server was killed after ${who.tool} had ended (${who.auditId}); ${came}]`);
  try {
    const { isObeyed } = rules;
    const survey = await surveyFor(layer, { roots, names, isObeyed, keeper, isFetched: false });
    const { barred, metGit: _, ...losses } = survey;
    const read = await layer.read(roots, false);
    const { decision, because } = rules.decide({ ...read, losses: { ...losses, earlier: 0 } }, isTried);
    if (decision !== 'allow') return toldOf(`none of its changes were kept: ${because.en}`);
    const left: Named[] = [];
    const land = () =>
      landAll(layer, undefined, {
        roots,
        keeper,
        left,
        overwrites: false,
        mayTurnBack: () => true,
        isProtected: (path, isThere) => isHeld(path, isThere) || barred.includes(path),
      });
    await guarded(land, left);
    toldOf('its changes are in place now');
  } catch (error) {
    if (!(error instanceof LayerUnfit)) throw error;
    toldOf(`none of its changes were kept: ${error.message}`);
  } finally {
    await layer.close();
  }
}
