import type { DryRun, Losses } from '../../../contract/capabilities/dry-run.ts';
import type { LandingKeeper } from '../../../contract/capabilities/landing.ts';
import type { HeldLayer, RunOptions } from '../../../contract/capabilities/process.ts';
import { protectedAnywhere } from '../../layer/protection.ts';
import type { Trial } from './dry-run.ts';
import type { LandedWhole } from './landing.ts';
import type { Runner } from './session.ts';

/** What a command did on its layer, as it is shown. */
export async function readShown(
  trial: Trial,
  runOptions: Pick<RunOptions, 'effects' | 'landing'>,
  runner: Runner,
): Promise<DryRun> {
  const losses = await lossesOf(trial, runOptions, runner);
  return { ...(await trial.read(rootsOf(runner), true)), losses };
}

/** The layer of a command whose judge does not let it land at once; where it may, what is lost with that. */
export async function heldBack(
  trial: Trial,
  runOptions: Pick<RunOptions, 'effects' | 'landing'>,
  runner: Runner,
  land: (keeper: LandingKeeper | undefined) => Promise<LandedWhole>,
): Promise<{ readonly layer?: HeldLayer; readonly lost: number }> {
  const judge = runOptions.effects;
  if (!judge) return { lost: 0 };
  const { session } = runner;
  const losses = await lossesOf(trial, runOptions, runner);
  if (!judge.isTried) {
    const read = judge.readChanges ? await trial.read(rootsOf(runner), false) : { changes: [], total: 0 };
    if (judge.allows({ ...read, losses })) return { lost: losses.files };
  }
  const layer: HeldLayer = {
    effects: { ...(await trial.read(rootsOf(runner), true)), losses },
    async land(keeper) {
      try {
        const landed = await land(keeper);
        session.lost = 0;
        return landed;
      } finally {
        await trial.close();
      }
    },
    discard: () => trial.close(),
  };
  return { layer, lost: 0 };
}

async function lossesOf(
  trial: Trial,
  { effects, landing }: Pick<RunOptions, 'effects' | 'landing'>,
  runner: Runner,
): Promise<Losses> {
  const keeper = landing?.keeper;
  const { isObeyed, isTried } = effects ?? { isObeyed: () => false, isTried: false };
  const isProtected = protectedAnywhere(runner.options.readOnlyNames ?? []);
  const found = await trial.survey({
    roots: rootsOf(runner),
    // Of what is tried, what no tool writes does not land.
    isObeyed: (path) => isObeyed(path) && !(isTried && isProtected(`/${path}`, true)),
    isOurs: keeper?.isOurs ?? (() => false),
  });
  return { ...found, earlier: runner.session.lost };
}

function rootsOf({ sandbox }: Runner): readonly string[] {
  return sandbox.roots().all.map(({ hostPath }) => hostPath);
}
