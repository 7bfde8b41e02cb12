import type { DryRun, Losses } from '../../contract/capabilities/dry-run.ts';
import type { HeldLayer, Landed } from '../../contract/capabilities/process.ts';
import { deferred } from '../../ground/defer.ts';
import { metAnotherGit } from '../layer/in-use.ts';
import type { Survey } from '../layer/losses/survey.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import type { Trial } from './dry-run.ts';
import type { LayerRecorder } from './recorder.ts';
import type { Runner } from './session.ts';

/** The input for judging an ended command. */
export interface Judging extends Pick<LayerRecorder, 'judge' | 'keeper'> {
  /** Did the command only fetch from a remote, and reach it? */
  readonly isFetched: boolean;
  /** Would a second run repeat nothing, given the paths that do not land? */
  readonly mayRunAgain: (barred: readonly string[]) => boolean;
}

export interface Judged {
  /** Set if its judge does not let it land at once. */
  readonly layer?: HeldLayer;
  readonly lost: number;
  /** Host paths that do not land. */
  readonly barred?: readonly string[];
}

/** Reads the changes on a command's layer for display. */
export async function readShown(
  trial: Trial,
  judging: Omit<Judging, 'mayRunAgain'>,
  runner: Runner,
): Promise<DryRun> {
  const { losses } = await lossesOf(trial, judging, runner);
  return { ...(await trial.read(rootsOf(runner), true)), losses };
}

/**
 * Judges the layer of an ended command. Throws `MetAnotherGit` if another git changed the same files meanwhile and the
 * command may run again: the other's commits are missing on the layer, but nobody has lost them.
 */
export async function heldBack(
  trial: Trial,
  judging: Judging,
  runner: Runner,
  land: (barred: readonly string[]) => Promise<Landed>,
): Promise<Judged> {
  const { judge } = judging;
  if (!judge) return { lost: 0 };
  const { session } = runner;
  const { losses, barred, metGit } = await lossesOf(trial, judging, runner);
  if (metGit !== undefined && judging.mayRunAgain(barred)) throw metAnotherGit(metGit);
  if (!judge.isTried) {
    const read = judge.readChanges ? await trial.read(rootsOf(runner), false) : { changes: [], total: 0 };
    if (judge.allows({ ...read, losses })) return { lost: losses.files, barred };
  }
  const layer: HeldLayer = {
    effects: { ...(await trial.read(rootsOf(runner), true)), losses },
    async land() {
      await using _ = deferred(() => trial.close());
      const landed = await land(barred);
      session.lost = 0;
      return landed;
    },
    discard: () => trial.close(),
  };
  return { layer, lost: 0 };
}

async function lossesOf(
  trial: Trial,
  { judge, keeper, isFetched }: Omit<Judging, 'mayRunAgain'>,
  runner: Runner,
): Promise<Pick<Survey, 'barred' | 'metGit'> & { readonly losses: Losses }> {
  const isProtected = protectedAnywhere(runner.options.readOnlyNames ?? []);
  const { barred, metGit, ...found }: Survey = await trial.survey({
    roots: rootsOf(runner),
    isObeyed: judge?.isObeyed ?? (() => false),
    isProtected: (path) => isProtected(`/${path}`, false),
    isFetched,
    isOurs: keeper?.isOurs ?? (() => false),
    mostBytes: keeper?.mostBytes,
  });
  return { losses: { ...found, earlier: runner.session.lost }, barred, metGit };
}

function rootsOf({ sandbox }: Runner): readonly string[] {
  return sandbox.roots().all.map(({ hostPath }) => hostPath);
}
