import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Losses } from '../../contract/capabilities/dry-run.ts';
import { isBelow } from '../../ground/inside.ts';
import { toText } from '../../ground/machine/byte-paths.ts';
import { type EnteringOptions, EntryJudge } from '../journal/entering.ts';
import { readSoFar, type SoFar } from '../journal/so-far.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import type { WatchedRecorder } from '../session/recorder.ts';
import type { Session } from '../session/session.ts';
import { listed } from '../session/trial.ts';
import { type EntryQuestion, type GateQuestion, granted, judgedLater, refused } from './asking.ts';
import type { Entered, Grant, RecordingOptions } from './recording.ts';

export interface HoldingOptions extends Pick<EnteringOptions, 'makers' | 'isFetched' | 'roots'> {
  readonly session: Session;
  readonly readOnlyNames: readonly string[];
  readonly ended: AbortSignal;
  readonly end: () => void;
  /** Takes a line for its reply. */
  readonly tell: (line: string) => void;
}

type Limits = Pick<RecordingOptions, 'first' | 'mayLose' | 'mayEnter' | 'ends' | 'protectedNames'>;

/**
 * Allows a command the losses and the content that the rules about effects would let land. Beyond that, a person is
 * asked while the command is blocked; after a no it is ended, and all its changes are reverted.
 */
export class Holding implements Limits {
  readonly protectedNames: readonly string[];
  readonly first: Grant | undefined;
  /** Lost files that were not reviewed, as of the last question. */
  lost = 0;
  readonly #recorder: WatchedRecorder;
  readonly #options: HoldingOptions;
  readonly #entering: EntryJudge;
  readonly #barred = new Set<string>();
  readonly #agreed = new Set<string>();
  /** No loss is asked about. */
  readonly #isUnlimited: boolean;
  #inHand: Promise<unknown> = Promise.resolve();
  #isUnsure = false;

  constructor(recorder: WatchedRecorder, options: HoldingOptions) {
    const { judge, recording } = recorder;
    this.#recorder = recorder;
    this.#options = options;
    this.protectedNames = options.readOnlyNames;
    const isAnywhere = protectedAnywhere(options.readOnlyNames);
    this.#entering = new EntryJudge({
      ...options,
      folder: recording.folder,
      isObeyed: (path) => judge.isObeyed(toText(path)),
      isProtected: (path) => isAnywhere(`/${toText(path)}`, false),
    });
    this.#isUnlimited = !judge.readChanges && judge.allows(everything);
    this.first = this.#isUnlimited ? undefined : none;
  }

  readonly mayEnter = (question: EntryQuestion): Promise<Entered> => {
    const decided = this.#decide(question);
    this.#inHand = decided;
    return decided;
  };

  readonly mayLose = async (question: GateQuestion): Promise<Grant | undefined> => {
    if (this.#isUnlimited) return undefined;
    const { allows } = this.#recorder.judge;
    let soFar = await this.#read(question);
    if (!allows(soFar.effects) && soFar.isInHand) {
      await sleep(inHandMs);
      soFar = await this.#read(question);
    }
    if (allows(soFar.effects)) {
      this.lost = soFar.effects.losses.files;
      this.#isUnsure ||= soFar.isUnsure;
      return this.#more(question, soFar);
    }
    if (!(await this.#hold(soFar))) return none;
    this.#isUnsure = false;
    this.#options.session.lost = 0;
    this.lost = 0;
    return undefined;
  };

  readonly ends = async (left: readonly string[]): Promise<void> => {
    const { ended, tell } = this.#options;
    // The command may have ended during the question.
    await this.#inHand.catch(() => {});
    const contents = left.filter((path) => !this.#agreed.has(path)).map((path) => ({ path, at: path }));
    if (!ended.aborted) await this.mayEnter({ kind: 'written', contents });
    else {
      const { never, asked } = await this.#entering.judge(contents);
      this.#bar([...never, ...asked]);
      for (const path of [...never, ...asked]) this.#entering.takeOut(path);
    }
    // A file that a git at work removed then, and did not move, is lost.
    if (this.#isUnsure && !ended.aborted) {
      const soFar = await this.#read();
      if (!this.#recorder.judge.allows(soFar.effects)) await this.#hold(soFar);
    }
    this.#entering.noteMakers();
    if (this.#barred.size > 0) tell(barredNote([...this.#barred]));
  };

  #read(question?: GateQuestion | EntryQuestion): Promise<SoFar> {
    const { folder, isOurs, mostBytes } = this.#recorder.recording;
    const { roots, session } = this.#options;
    return readSoFar({ folder, roots, earlier: session.lost, isOurs, mostBytes }, question);
  }

  /** The losses that the rules allow it from here on. */
  #more(question: GateQuestion, { effects }: SoFar): Grant {
    const { allows, readChanges } = this.#recorder.judge;
    const lostWithKept = question.files + question.kept;
    if (readChanges) return { files: question.files, withKept: lostWithKept };
    const { files, withKept } = effects.losses;
    const allowsMore = (losses: Partial<Losses>) =>
      allows({ ...effects, losses: { ...effects.losses, ...losses } });
    const more = most((n) => allowsMore({ files: files + n, withKept: withKept + n }));
    const moreKept = most((n) => allowsMore({ withKept: withKept + n }));
    return { files: question.files + more, withKept: lostWithKept + Math.max(more, moreKept) };
  }

  /** Asks a person. After a no the command ends. */
  async #hold(soFar: SoFar): Promise<boolean> {
    const { recording, ask } = this.#recorder;
    recording.onHeld(true);
    if (await ask(await soFar.show(), this.#options.ended)) {
      recording.onHeld(false);
      return true;
    }
    this.#options.tell(putBackNote);
    this.#options.end();
    return false;
  }

  #bar(paths: readonly string[]): void {
    for (const path of paths) {
      const root = this.#options.roots.find((each) => isBelow(path, each));
      this.#barred.add(toText(root === undefined ? path : relative(root, path)));
    }
  }

  async #decide(question: EntryQuestion): Promise<Entered> {
    const entering = this.#entering;
    const { never, asked, isJudgedLater } = await entering.judge(question.contents, question.folder);
    const isThere = question.kind === 'written';
    this.#bar(never);
    if (isThere) for (const path of never) entering.takeOut(path);
    if (asked.length > 0) {
      const out = isThere ? asked.map((path) => entering.takeOut(path)) : [];
      const contents = isThere ? out : question.contents.filter(({ path }) => asked.includes(path));
      const soFar = await this.#read({ ...question, contents });
      if (!this.#recorder.judge.allows(soFar.effects) && !(await this.#hold(soFar))) return refused;
      for (const each of out) each.bringIn();
      for (const path of asked) this.#agreed.add(path);
    }
    if (never.length > 0 && !isThere) return refused;
    return isJudgedLater ? judgedLater : granted;
  }
}

const putBackNote =
  '[history: it passed the limit of a rule about effects, and nobody agreed: it was ended, and what it had changed is put back]\n';

function barredNote(paths: readonly string[]): string {
  return `[history: not written, as no tool writes it and a person has to: ${listed(paths)}]\n`;
}

/** The largest number for which `holds` is true, given that it is true for all smaller ones. */
function most(holds: (n: number) => boolean): number {
  let [low, high] = [0, 1];
  while (high <= unlimited && holds(high)) [low, high] = [high, high * 2];
  if (high > unlimited) return unlimited;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const none: Grant = { files: 0, withKept: 0 };
const everything = {
  changes: [],
  total: 1,
  losses: { files: 1e6, earlier: 0, withKept: 1e6, of: 1e6, repositories: ['.git'], names: [], obeyed: [] },
};
const unlimited = 1 << 29;
const inHandMs = 60;
