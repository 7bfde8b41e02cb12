import type { CommandRecording, EffectsJudge } from '../contract/capabilities/command-life.ts';
import type {
  Attended,
  BackgroundCommand,
  CommandLine,
  RunOptions,
  RunResult,
} from '../contract/capabilities/process.ts';
import { type Text, text, verbatim } from '../contract/text/text.ts';
import type { Left } from '../git/command-guard.ts';
import type { Named } from '../git/find-repositories.ts';
import { cannotDiscard } from '../ground/effects/landing.ts';
import type { CommandOptions } from './commands-options.ts';
import { readJournal } from './journal/journal.ts';
import { statAt } from './layer/entries.ts';
import { attend, type Ran, startInBackground } from './session/attend.ts';
import type { Recorder } from './session/recorder.ts';
import type { Runner } from './session/session.ts';
import { whyDirect, whyUnwatched } from './session/why-direct.ts';

export type Attending = RunOptions & { readonly handOverMs?: number | undefined };

/**
 * One command, one life. It runs on a layer if it can, otherwise watched on the folders themselves. Either way its effects
 * are decided about by the judge of its call: they stay, a person is asked, or they go.
 */
export async function liveCommand(
  command: CommandLine,
  options: Attending,
  runner: Runner,
): Promise<Attended> {
  const { life } = runner;
  if (options.fate === 'dry-run') return foresee(command, options, runner);
  if (!life) return run(command, options, { kind: 'none' }, runner);
  const { judge, history } = life;
  const waiting = judge.settleWaiting();
  if (waiting) return { kind: 'ended', result: await waiting };
  const fate = options.fate ?? runner.options.onFailure ?? 'keep';
  const notes: string[] = [];
  let why = judge.isTried ? undefined : await whyDirect(command, { ...options, fate }, runner);
  for (let runs = 1; !why; runs++) {
    const recorder: Recorder = { kind: 'layer', judge, history, keeper: history?.keeper() };
    const ran = await run(command, { ...options, fate }, recorder, runner);
    if (ran.kind === 'going' || ran.came?.kind !== 'unfit') return settled(withNotes(ran, notes), judge);
    const { because, isPassing } = ran.came;
    notes.push(`[layer: run again, and nothing of the run before was kept: ${because}]\n`);
    if (!isPassing || runs === runsOnLayers) why = verbatim(because);
  }
  if (options.fate === 'discard') throw cannotDiscard(why);
  const ran = await runDirectly(command, options, { judge, why }, runner);
  if (ran.kind === 'going' || fate !== 'discard' || ran.result.exitCode === 0) return withNotes(ran, notes);
  return withNotes(ran, [
    `[layer: it failed, and what it wrote stays, as it did not run on a layer: ${why.en}]\n`,
    ...notes,
  ]);
}

/** Starts a command in the background, where others must see its files. */
export async function liveInBackground(
  command: CommandLine,
  options: CommandOptions,
  runner: Runner,
): Promise<BackgroundCommand> {
  const { life, git } = runner;
  life?.judge.ranDirectly(whyInBackground);
  life?.judge.goesOn();
  const recording = await record(command, options, runner);
  const recorder = life ? watchedBy(recording, life.judge, life.judge.hold(true).ask) : none;
  try {
    const guarding = await git.begin(command, options, leftBy(recorder, []));
    const started = await guarding.during(() => startInBackground(command, options, recorder, runner));
    guarding.follow(started);
    runner.follow(started, recording);
    return started;
  } catch (error) {
    await recording?.end();
    throw error;
  }
}

/** A dry run: its layer is read and discarded, and the judge says what it would decide. */
async function foresee(command: CommandLine, options: Attending, runner: Runner): Promise<Attended> {
  const { judge, history } = runner.life ?? {};
  const recorder: Recorder = { kind: 'dry-run', judge, keeper: history?.keeper() };
  const ran = await attend(command, options, recorder, runner);
  if (ran.kind === 'going' || !ran.result.dryRun || !judge) return ran;
  return { kind: 'ended', result: { ...ran.result, verdict: judge.foresee(ran.result.dryRun) } };
}

async function settled(ran: Ran, judge: EffectsJudge): Promise<Attended> {
  if (ran.kind === 'going' || ran.came?.kind !== 'held') return ran;
  return { kind: 'ended', result: await judge.settle({ layer: ran.came.layer, result: ran.result }) };
}

async function runDirectly(
  command: CommandLine,
  options: Attending,
  { judge, why }: { readonly judge: EffectsJudge; readonly why: Text },
  runner: Runner,
): Promise<Ran> {
  judge.ranDirectly(why);
  const hold = judge.hold(false);
  const recording = await record(command, options, runner);
  const ran = await run(command, options, watchedBy(recording, judge, hold.ask), runner).catch(
    async (error) => {
      await recording?.end();
      throw error;
    },
  );
  if (ran.kind === 'going') {
    runner.follow(ran.command, recording);
    return ran;
  }
  const note = await recording?.end();
  hold.assertNotRefused();
  return withNotes(ran, note === undefined ? [] : [note]);
}

/** Runs it once. What it left in repositories, or as one, is looked at afterwards. */
async function run(
  command: CommandLine,
  options: Attending,
  recorder: Recorder,
  runner: Runner,
): Promise<Ran> {
  // Without a sandbox no folder need be searched.
  await runner.sandbox.open();
  const landed: Named[] = [];
  const guarding = await runner.git.begin(command, options, leftBy(recorder, landed));
  const ran = await guarding.during(() => attend(command, options, recorder, runner, landed));
  if (ran.kind === 'ended') return withNotes(ran, [await guarding.end()]);
  runner.life?.judge.goesOn();
  guarding.follow(ran.command);
  return ran;
}

/** Opens the record of what a command changes in the folders themselves; undefined if the operator keeps none. */
async function record(
  command: CommandLine,
  { reach }: Pick<RunOptions, 'reach'>,
  { life, sandbox, options }: Runner,
): Promise<Pick<CommandRecording, 'end'> | CommandRecording | undefined> {
  if (!life?.history) return undefined;
  // Without a sandbox, the command's own start gives the reason.
  const walls = await sandbox.open().catch(() => undefined);
  const why = walls && (await whyUnwatched(walls.backend, command, options.commandsIn));
  if (why) return { end: async () => `[history: not recorded, ${why.en}]\n` };
  return life.history.record(reach?.writable);
}

function watchedBy(
  recording: Pick<CommandRecording, 'end'> | CommandRecording | undefined,
  judge: EffectsJudge,
  ask: ReturnType<EffectsJudge['hold']>['ask'],
): Recorder {
  return recording && 'folder' in recording ? { kind: 'watched', judge, recording, ask } : none;
}

/** The recorder's knowledge of new names by which git could find a repository. `landed` is filled by a landing. */
function leftBy(recorder: Recorder, landed: readonly Named[]): Left | undefined {
  if (recorder.kind === 'none') return undefined;
  if (recorder.kind !== 'watched') return () => landed;
  return () =>
    readJournal(recorder.recording.folder)
      .filter(({ kind, path }) => kind === 'absent' && /\/(\.git|HEAD)$/i.test(path))
      .map(({ path }) => ({ path, isFolder: statAt(path)?.isDirectory() === true }));
}

function withNotes<R extends Ran>(ran: R, notes: readonly string[]): R {
  if (ran.kind === 'going' || notes.join('') === '') return ran;
  const result: RunResult = { ...ran.result, stderr: ran.result.stderr + notes.join('') };
  return { ...ran, result };
}

const none: Recorder = { kind: 'none' };
const whyInBackground: Text = text(
  'it was started in the background, where others must see its files',
  'バックグラウンドで開始され、他のコマンドがそのファイルを見る必要があります',
);
/** After this many collisions with another git, the command runs on the folders themselves and waits for its locks. */
const runsOnLayers = 3;
