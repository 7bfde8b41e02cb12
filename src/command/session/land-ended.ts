import type { EffectsJudge } from '../../contract/capabilities/command-life.ts';
import type { DryRun, Losses } from '../../contract/capabilities/dry-run.ts';
import type { LandingKeeper } from '../../contract/capabilities/landing.ts';
import type {
  CommandLine,
  HeldLayer,
  Landed,
  LandedOutcome,
  RunOptions,
  RunResult,
} from '../../contract/capabilities/process.ts';
import type { Named } from '../../git/find-repositories.ts';
import type { PersonConfig } from '../../git/person-config.ts';
import { discardedNote } from '../../ground/effects/landing.ts';
import { deferred } from '../../ground/waiting/defer.ts';
import type { Ending } from '../child/run-child.ts';
import type { StartedCommand } from '../child/start-command.ts';
import { LayerUnfit, metAnotherGit } from '../layer/in-use.ts';
import type { Survey } from '../layer/losses/survey.ts';
import { heldNames } from '../layer/protection.ts';
import { deepest } from '../layer/walk.ts';
import { foldersOnTheWay, guardedFolders } from '../sandbox/guarded-names.ts';
import { watchCommits } from './git-notes.ts';
import type { LayerRecorder, Recorder } from './recorder.ts';
import type { Runner } from './session.ts';
import { listed, surveyFor, type Trial } from './trial.ts';
import { blamesLayer, fetchesOnly } from './why-direct.ts';

export interface Asked {
  readonly command: CommandLine;
  readonly runOptions: RunOptions;
  readonly recorder: Recorder;
  readonly runner: Runner;
  readonly left: Named[];
}

interface Landing extends Asked {
  /** Its output; undefined if the call was answered before the end, and the command would not be run again. */
  readonly outputs: readonly string[] | undefined;
  readonly git: PersonConfig;
  readonly beganAtMs: number;
  readonly recorder: LayerRecorder;
}

/** `unfit`: it cannot run on a layer, left nothing and can run without one. `held`: its effects may not land yet. */
export type Came =
  | LandedOutcome
  | { readonly kind: 'held'; readonly layer: HeldLayer }
  /** `isPassing`: another program was in the way for the moment, so a second run on a layer may work. */
  | { readonly kind: 'unfit'; readonly because: string; readonly isPassing: boolean };

/** The result of landing an ended command's layer, with notes for its reply. */
export interface EndedLanding {
  readonly outcome: Came;
  readonly notes: readonly string[];
}

/** Lands or discards an ended command's layer, depending on how it ended. */
export async function landEnded(
  { trial, contacts, folder, wroteOutside }: StartedCommand,
  how: Ending,
  { outputs, command, git, beganAtMs, runOptions, recorder, runner, left }: Landing,
): Promise<EndedLanding> {
  if (!trial) throw new Error('it has no layer');
  if (runOptions.fate === 'discard' && (how.exitCode !== 0 || how.stoppedBy)) {
    return { outcome: { kind: 'discarded' }, notes: [discardedNote] };
  }
  const roots = runner.sandbox.roots();
  const writable = runOptions.reach?.writable ?? roots.writable;
  const guarded = guardedFolders(roots.all, writable);
  const { readOnlyNames = [], keptNames = [] } = runner.options;
  const names = [...readOnlyNames, ...keptNames];
  const isHeld = heldNames(guarded, names);
  const { keeper, judge, history } = recorder;
  // Without a history the changes could not be attributed.
  if (keeper)
    trial.layer.ended({
      who: keeper.who,
      isTried: judge?.isTried === true,
      roots: roots.paths,
      folders: guarded,
      names,
    });
  const land = async (
    keeper: LandingKeeper | undefined,
    barred: readonly string[],
    mayTurnBack?: () => boolean,
  ) => {
    const commitNotes = watchCommits(
      foldersOnTheWay(roots.all, { workingFolder: folder, writable }),
      git,
      beganAtMs,
    );
    const landed = await trial.land({
      roots: roots.paths,
      isProtected: (path, isThere) => isHeld(path, isThere) || barred.includes(path),
      mayTurnBack,
      keeper,
      left,
    });
    const { conflicts, refused, notes } = landed;
    const differs = [...conflictNotes(conflicts), ...refusedNotes(refused, barred)];
    return { conflicts, refused, notes: [...notes, ...commitNotes(), ...differs] };
  };
  /** The call that lands it is another one, perhaps of another time. */
  const landLater = (barred: readonly string[]) =>
    runner.tracked(() =>
      runner.git.land(
        command,
        runOptions,
        () => land(history?.keeper(), barred),
        () => left,
      ),
    );
  let isAlone: boolean | undefined;
  /** A second run repeats nothing: the command reached no host, and wrote only to its layer. */
  const mayRunAgain = (barred: readonly string[]) =>
    (isAlone ??=
      outputs !== undefined &&
      // Run on the folders themselves, the refused content would get in.
      barred.length === 0 &&
      !how.stoppedBy &&
      contacts().length === 0 &&
      !wroteOutside());
  const isFetched = contacts().length > 0 && fetchesOnly(command);
  // Judged before a second run on the folders themselves, which is not judged.
  const judged = await heldBack(trial, { judge, keeper, isFetched, mayRunAgain }, runner, landLater).catch(
    asUnfit,
  );
  if ('outcome' in judged) return judged;
  const { layer, lost, barred = [] } = judged;
  if (layer) return { outcome: { kind: 'held', layer }, notes: [] };
  if (outputs && blamesLayer(outputs, how.exitCode !== 0) && mayRunAgain(barred))
    return unfit('a system call was refused that a layer has no answer to');
  const landed = await land(keeper, barred, () => mayRunAgain(barred)).catch(asUnfit);
  if ('outcome' in landed) return landed;
  const { conflicts, refused, notes } = landed;
  // These losses were not reviewed: they count towards the session's next ones.
  runner.session.lost += lost;
  return { outcome: { kind: 'landed', conflicts, refused }, notes };
}

/** The input for judging an ended command. */
interface Judging extends Pick<LayerRecorder, 'judge' | 'keeper'> {
  /** Did the command only fetch from a remote, and reach it? */
  readonly isFetched: boolean;
  /** Would a second run repeat nothing, given the paths that do not land? */
  readonly mayRunAgain: (barred: readonly string[]) => boolean;
}

interface Judged {
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
  return { ...(await trial.layer.read(runner.sandbox.roots().paths, true)), losses };
}

/**
 * Judges the layer of an ended command. Throws `MetAnotherGit` if another git changed the same files meanwhile and the
 * command may run again: the other's commits are missing on the layer, but nobody has lost them.
 */
async function heldBack(
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
    const read = judge.readChanges
      ? await trial.layer.read(runner.sandbox.roots().paths, false)
      : { changes: [], total: 0 };
    if (judge.allows({ ...read, losses })) return { lost: losses.files, barred };
  }
  const layer: HeldLayer = {
    effects: { ...(await trial.layer.read(runner.sandbox.roots().paths, true)), losses },
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
  const { barred, metGit, ...found }: Survey = await surveyFor(trial.layer, {
    roots: runner.sandbox.roots().paths,
    names: runner.options.readOnlyNames ?? [],
    isObeyed: judge?.isObeyed ?? (() => false),
    keeper,
    isFetched,
  });
  return { losses: { ...found, earlier: runner.session.lost }, barred, metGit };
}

/** For a command that continues after its call: it has ended once its changes are landed. */
export function landGoing(
  ending: Promise<Ending>,
  trial: Trial | undefined,
  judge: EffectsJudge | undefined,
  land: ((how: Ending) => Promise<EndedLanding>) | undefined,
  resultOf: (how: Ending) => RunResult,
): { readonly ending: Promise<Ending>; notes(): readonly string[] } {
  if (!trial || !land) return { ending, notes: () => [] };
  let said: readonly string[] = [];
  const whole = ending.then(async (how) => {
    let isHeld = false;
    try {
      const { outcome, notes } = await land(how);
      isHeld = outcome.kind === 'held';
      said =
        outcome.kind === 'held' && judge
          ? [await judge.settleLate({ layer: outcome.layer, result: resultOf(how) })]
          : notes;
    } catch (error) {
      said = [`[layer: ${error instanceof Error ? error.message : String(error)}]\n`];
    } finally {
      if (!isHeld) await trial.close();
    }
    return how;
  });
  return { ending: whole, notes: () => said };
}

function asUnfit(error: unknown): EndedLanding {
  if (error instanceof LayerUnfit) return unfit(error.message, error.isPassing);
  throw error;
}

function unfit(because: string, isPassing = false): EndedLanding {
  return { outcome: { kind: 'unfit', because, isPassing }, notes: [] };
}

function conflictNotes(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return [
    `[layer: changed by others while this ran, and overwritten: ${listed(paths)}; sekisho history has what they wrote]\n`,
  ];
}

/** `barred`: host paths; refused paths are relative to their root. */
function refusedNotes(paths: readonly string[], barred: readonly string[]): readonly string[] {
  const isBarred = (path: string) => barred.some((each) => each.endsWith(`/${path}`));
  const [named, others] = [paths.filter(isBarred), paths.filter((path) => !isBarred(path))];
  return [
    ...(named.length === 0
      ? []
      : [`[layer: not written, as no tool writes it and a person has to: ${listed(named)}]\n`]),
    ...(others.length === 0
      ? []
      : [
          `[layer: left as it was, as commands make no such entry, none so deep (${deepest} folders), and change nothing in a vault's .system: ${listed(others)}]\n`,
        ]),
  ];
}
