import { join, relative } from 'node:path';
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
import { createTurns } from '../../ground/turns.ts';
import type { Contents } from './contents.ts';
import { countLost, lossNotes } from './direct-losses.ts';
import { type HeldContents, openHeldContents, sweepHeld } from './held.ts';
import { createLandingKeeper } from './landing.ts';
import type { Recorder } from './recorder.ts';
import { openRecording } from './recordings.ts';
import { type Baseline, createBaseline, type Found } from './scan/baseline.ts';
import { type Bounds, type BoundsOptions, createBounds, leftOutNotes, usualBounds } from './scan/bounds.ts';

export interface CommandWatchOptions {
  /** Where copies are held. */
  readonly folder: string;
  /** Where it is kept what commands change that run on the folders themselves. */
  readonly watched: string;
  /** Host paths of the roots that commands may write. */
  readonly roots: readonly string[];
  readonly ignore: readonly string[];
  readonly recorder: Recorder;
  readonly contents: Contents;
  readonly maxBytes: number;
  readonly now: () => number;
  readonly bounds?: BoundsOptions | undefined;
  readonly recovered: () => Promise<void>;
  /** Where a call does not say. */
  readonly onFailure: OnFailure;
}

export interface CommandWatch {
  /** The same commands, with what they change written down. */
  watch(commands: Commands): Commands;
  /** Waits for the last looks. Commands have ended by then. */
  close(): Promise<void>;
}

/** Of one command that runs on the folders themselves. */
interface Record {
  readonly who: Attribution;
  readonly options: Pick<RunOptions, 'watched'>;
  /** It is left in the background. */
  goesOn?(): void;
  /** Writes down what it changed. Returns what its reply is to say of that. */
  end(by: Attribution): Promise<string>;
}

interface Watched {
  readonly folder: string;
  readonly baseline: Baseline;
  readonly held: HeldContents;
  readonly bounds: Bounds;
  /** Commands in the background that may write here. */
  readonly background: Set<Attribution>;
  running: number;
  /** Paths that our own writes changed while commands ran: those have entries of their own. */
  readonly ours: Set<string>;
  /** How much was left out when a reply last said so. */
  told: number;
}

/**
 * A command on a layer has what lands of it written down as it lands. For all others the folders that they may write are
 * looked at before they start and after they ended; what differs is their doing. What changed between commands is a
 * person's, or of a command in the background.
 */
export function watchCommands(options: CommandWatchOptions): CommandWatch {
  const { recorder, bounds: most = usualBounds } = options;
  const watched = new Map<string, Watched>();
  const turns = createTurns();
  const forget = recorder.listen((root, path) => {
    const hostPath = join(root, path);
    for (const one of watched.values()) if (one.running > 0) one.ours.add(hostPath);
  });
  const lasts = new Set<Promise<void>>();
  let isSwept = false;

  function open(folder: string): Watched {
    let one = watched.get(folder);
    if (one) return one;
    if (!isSwept) sweepHeld(options.folder);
    isSwept = true;
    const held = openHeldContents(options.folder);
    const { ignore, contents, maxBytes, now } = options;
    const maxFileBytes = Math.floor(maxBytes / 8);
    const bounds = createBounds(most);
    const baseline = createBaseline({ folder, ignore, held, contents, maxBytes, maxFileBytes, bounds, now });
    one = { folder, baseline, held, bounds, background: new Set(), running: 0, ours: new Set(), told: 0 };
    watched.set(folder, one);
    return one;
  }

  /** Looks, and writes down what is found as `who`'s; without anybody it is only learned. Returns how many files are lost. */
  function look(one: Watched, who: Attribution | undefined): Promise<number> {
    return turns.take(one.folder, async () => {
      const ours = new Set(one.ours);
      one.ours.clear();
      const found = await one.baseline.refresh(who !== undefined);
      if (!who) return 0;
      const root = options.roots.find((each) => isIn(one.folder, each)) ?? one.folder;
      const changes = found
        .map((change: Found) => ({ ...change, root, path: relative(root, join(one.folder, change.path)) }))
        .filter(({ path }) => path !== '' && !ours.has(join(root, path)));
      const lost = countLost(changes, (hostPath) => recorder.madeBy.has(who.sessionId, hostPath, 'made'));
      if (changes.length > 0) await recorder.add(changes, who);
      return lost;
    });
  }

  async function before(folders: readonly string[]): Promise<readonly Watched[]> {
    const all = folders.map(open);
    for (const one of all) {
      // What a command in the background did until now would be nobody's.
      await look(one, one.background.values().next().value);
      one.running += 1;
    }
    return all;
  }

  async function after(all: readonly Watched[], who: Attribution): Promise<number> {
    let lost = 0;
    for (const one of all) {
      lost += await look(one, who);
      one.running -= 1;
    }
    return lost;
  }

  /** The first reply after something was left out says so, among the notes that follow what a command wrote. */
  function notesOf(all: readonly Watched[], lost: number): readonly string[] {
    const leftOut = all.flatMap((one) => {
      if (one.bounds.leftOut.size === one.told) return [];
      one.told = one.bounds.leftOut.size;
      return leftOutNotes(one.bounds, most);
    });
    return [...leftOut, ...lossNotes(lost)];
  }

  /** What a command in the background changed is written down when it has ended. */
  function follow(command: BackgroundCommand, recording: Record): void {
    recording.goesOn?.();
    const last = ended(command)
      .then(() => recording.end(recording.who))
      .then(() => {})
      .catch(ignore)
      .finally(() => lasts.delete(last));
    lasts.add(last);
  }

  /** Of git's own folder nobody looks at every file; who is told of each change need not. */
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

  /** On a layer where that can be, else on the folders themselves, which are looked at. */
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
    /** Whoever has it land later does so in a call of its own. */
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
          ...{ landing, onFailure },
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
    const recording = await openRecord(commands, runOptions, who);
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

  /** Of what a command changes in the folders themselves: by what runs it, else by looks before and after. */
  async function openRecord(
    commands: Commands,
    { writable = options.roots }: Pick<RunOptions, 'writable'>,
    who: Attribution,
  ): Promise<Record> {
    if (!(await commands.watches())) {
      const all = await before(writable);
      return {
        who,
        options: {},
        goesOn() {
          for (const one of all) one.background.add(who);
        },
        async end(by) {
          for (const one of all) one.background.delete(who);
          const lost = await after(all, by);
          return notesOf(all, lost).join('');
        },
      };
    }
    await options.recovered();
    const recording = openRecording(options.watched, writable, who);
    const ours = new Set<string>();
    const forget = recorder.listen((root, path) => ours.add(join(root, path)));
    let isHeld = false;
    return {
      who,
      options: {
        watched: {
          ...{ folder: recording.folder, ignore: ignoredByLayers() },
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
        const recording = await openRecord(commands, runOptions, who);
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
      forget();
      for (const { held } of watched.values()) held.close();
    },
  };
}

/** The operator would have it thrown away. */
function keptAnyway(result: RunResult, why: Text): RunResult {
  if (result.exitCode === 0) return result;
  const note = `[layer: it failed, and what it wrote stays, as it did not run on a layer: ${why.en}]\n`;
  return { ...result, stderr: result.stderr + note };
}

async function ended(command: BackgroundCommand): Promise<void> {
  const never = new AbortController().signal;
  while (command.status().running) await command.wait(lookEveryMs, never);
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Nobody is there to be told; the next look finds what this one could not. */
function ignore(): void {}

const lookEveryMs = 60_000;
/** Whoever meets another git each time waits for its locks, on the folders themselves. */
const runsOnLayers = 3;
