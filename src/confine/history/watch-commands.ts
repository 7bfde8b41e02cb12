import { join } from 'node:path';
import type { Attribution } from '../../contract/capabilities/history.ts';
import type { LandingKeeper } from '../../contract/capabilities/landing.ts';
import type {
  Attended,
  BackgroundCommand,
  CommandLine,
  Commands,
  HeldLayer,
  OnFailure,
  RunOptions,
  RunResult,
} from '../../contract/capabilities/process.ts';
import { type Text, verbatim } from '../../contract/text/text.ts';
import { cannotDiscard, withHeld } from '../../ground/effects/landing.ts';
import type { Contents } from './contents.ts';
import { createLandingKeeper } from './landing.ts';
import type { Recorder } from './recorder.ts';
import { openRecording } from './recordings.ts';

export interface CommandWatchOptions {
  /** The folder for the recordings of commands that run on the folders themselves. */
  readonly watched: string;
  /** Host paths of the roots that commands may write. */
  readonly roots: readonly string[];
  readonly ignore: readonly string[];
  readonly recorder: Recorder;
  readonly contents: Contents;
  readonly maxBytes: number;
  readonly recovered: () => Promise<void>;
  /** Used if a call does not choose. */
  readonly onFailure: OnFailure;
}

export interface CommandWatch {
  /** The same commands, with their changes recorded. */
  watch(commands: Commands): Commands;
  /** Waits for the last recordings. The commands have ended by then. */
  close(): Promise<void>;
}

/** The record of one command that runs on the folders themselves. */
interface Record {
  readonly who: Attribution;
  readonly options: Pick<RunOptions, 'watched'>;
  /** Records the command's changes. Returns a note for its reply. */
  end(by: Attribution): Promise<string>;
}

/**
 * The changes of a command on a layer are recorded when they land. Other commands are watched if possible: former
 * contents are kept before a change in the folders, and the changes are recorded at the end.
 */
export function watchCommands(options: CommandWatchOptions): CommandWatch {
  const { recorder } = options;
  const lasts = new Set<Promise<void>>();

  /** Records the changes of a background command when it has ended. */
  function follow(command: BackgroundCommand, recording: Record): void {
    const last = ended(command)
      .then(() => recording.end(recording.who))
      .then(() => {})
      .catch(ignore)
      .finally(() => lasts.delete(last));
    lasts.add(last);
  }

  /** A layer reports its changes, so git's own folder need not be left out. */
  function ignoredByLayers(): readonly string[] {
    return options.ignore.filter((name) => name !== '.git');
  }

  function keeperFor(who: Attribution): LandingKeeper {
    const { contents, maxBytes, recovered } = options;
    return createLandingKeeper({
      recorder,
      contents,
      who,
      ignore: ignoredByLayers(),
      maxFileBytes: Math.floor(maxBytes / 2),
      recovered,
    });
  }

  /** Runs on a layer if possible, otherwise on the folders themselves. */
  async function attend(
    commands: Commands,
    command: CommandLine,
    runOptions: RunOptions & { readonly handOverMs?: number | undefined },
    run: (more: Pick<RunOptions, 'landing' | 'onFailure' | 'onHeld' | 'watched'>) => Promise<Attended>,
  ): Promise<Attended> {
    const who = { ...recorder.current() };
    if (runOptions.dryRun) return run({ landing: { keeper: keeperFor(who) } });
    const onFailure = runOptions.onFailure ?? options.onFailure;
    const { onHeld, effects } = runOptions;
    /** A later landing is attributed to the call that lands it. */
    const kept = (layer: HeldLayer): HeldLayer => ({
      ...layer,
      land: () => layer.land(keeperFor({ ...recorder.current() })),
    });
    const again: string[] = [];
    const said = (attended: Attended): Attended => {
      if (attended.kind === 'going' || again.length === 0) return attended;
      const { result } = attended;
      return { ...attended, result: { ...result, stderr: result.stderr + again.join('') } };
    };
    let why = effects?.isTried ? undefined : await commands.whyDirect(command, { ...runOptions, onFailure });
    for (let runs = 1; !why; runs++) {
      const landing = { keeper: keeperFor(who) };
      const attended = withHeld(
        await run({
          landing,
          onFailure,
          onHeld: onHeld && ((layer, result) => onHeld(kept(layer), result)),
        }),
        kept,
      );
      if (attended.kind === 'going' || attended.result.landed?.kind !== 'unfit') return said(attended);
      const { because, isPassing } = attended.result.landed;
      again.push(`[layer: run again, and nothing of the run before was kept: ${because}]\n`);
      if (!isPassing || runs === runsOnLayers) why = verbatim(because);
    }
    if (runOptions.onFailure === 'discard') throw cannotDiscard(why);
    runOptions.onDirect?.(why);
    const recording = await openRecord(commands, command, runOptions, who);
    const attended = await run(recording.options).catch(async (error) => {
      await recording.end(recorder.current());
      throw error;
    });
    if (attended.kind === 'going') {
      follow(attended.command, recording);
      return attended;
    }
    const result = {
      ...attended.result,
      stderr: attended.result.stderr + (await recording.end(recorder.current())),
    };
    return said({ ...attended, result: onFailure === 'discard' ? keptAnyway(result, why) : result });
  }

  /** Opens the record of a command's changes in the folders themselves. */
  async function openRecord(
    commands: Commands,
    command: CommandLine,
    { writable = options.roots }: Pick<RunOptions, 'writable'>,
    who: Attribution,
  ): Promise<Record> {
    const why = await commands.whyUnwatched(command);
    if (why) return { who, options: {}, end: async () => `[history: not recorded, ${why.en}]\n` };
    await options.recovered();
    const recording = openRecording(options.watched, writable, who);
    const ours = new Set<string>();
    const forget = recorder.listen((root, path) => ours.add(join(root, path)));
    let isHeld = false;
    return {
      who,
      options: {
        watched: {
          folder: recording.folder,
          ignore: ignoredByLayers(),
          isOurs: (hostPath, how) => recorder.madeBy.has(who.sessionId, hostPath, how),
          mostBytes: keeperFor(who).mostBytes,
          onHeld: (held) => {
            isHeld = held;
          },
        },
      },
      async end(by) {
        forget();
        const keeper = keeperFor(by.auditId === who.auditId ? by : who);
        await recording.end(keeper, { ours, back: isHeld });
        return keeper.notes().join('');
      },
    };
  }

  return {
    watch: (commands) => ({
      ...commands,
      async run(command, runOptions) {
        const attended = await attend(commands, command, runOptions, async (more) => ({
          kind: 'ended',
          result: await commands.run(command, { ...runOptions, ...more }),
        }));
        if (attended.kind === 'going') throw new Error('nothing is handed over where nobody asked for it');
        return attended.result;
      },
      attend: (command, runOptions) =>
        attend(commands, command, runOptions, (more) => commands.attend(command, { ...runOptions, ...more })),
      async start(command, runOptions) {
        const who = { ...recorder.current() };
        const recording = await openRecord(commands, command, runOptions, who);
        const started = await commands
          .start(command, { ...runOptions, ...recording.options })
          .catch(async (error) => {
            await recording.end(recorder.current());
            throw error;
          });
        follow(started, recording);
        return started;
      },
      background: (id) => commands.background(id),
      backgrounds: () => commands.backgrounds(),
    }),
    async close() {
      await Promise.all(lasts);
    },
  };
}

/** The operator wanted the changes of a failed command discarded, but they are kept. */
function keptAnyway(result: RunResult, why: Text): RunResult {
  if (result.exitCode === 0) return result;
  const note = `[layer: it failed, and what it wrote stays, as it did not run on a layer: ${why.en}]\n`;
  return { ...result, stderr: result.stderr + note };
}

async function ended(command: BackgroundCommand): Promise<void> {
  const never = new AbortController().signal;
  while (command.status().running) await command.wait(lookEveryMs, never);
}

/** No call is left to report to; the next server records the kept contents. */
function ignore(): void {}

const lookEveryMs = 60_000;
/** After this many collisions with another git, the command runs on the folders themselves and waits for its locks. */
const runsOnLayers = 3;
