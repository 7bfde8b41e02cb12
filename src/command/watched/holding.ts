import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Losses } from '../../contract/capabilities/dry-run.ts';
import { toText } from '../../ground/byte-paths.ts';
import { isBelow } from '../../ground/inside.ts';
import { createEntering, type EnteringOptions } from '../journal/entering.ts';
import { readSoFar, type SoFar } from '../journal/so-far.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import { listed } from '../session/landing.ts';
import type { WatchedRecorder } from '../session/recorder.ts';
import type { Session } from '../session/session.ts';
import { type EntryQuestion, type GateQuestion, granted, judgedLater, refused } from './asking.ts';
import type { Entered, Grant, RecordingOptions } from './recording.ts';

/** The limits on the losses of a command on the folders themselves, and on content at obeyed paths. */
export interface Holding
  extends Pick<RecordingOptions, 'first' | 'mayLose' | 'mayEnter' | 'ends' | 'protectedNames'> {
  /** Lost files that were not reviewed, as of the last question. */
  lost(): number;
}

export interface HoldingOptions extends Pick<EnteringOptions, 'makers' | 'isFetched' | 'roots'> {
  readonly session: Session;
  readonly readOnlyNames: readonly string[];
  readonly ended: AbortSignal;
  readonly end: () => void;
  /** Takes a line for its reply. */
  readonly tell: (line: string) => void;
}

/**
 * Allows a command the losses and the content that the rules about effects would let land. Beyond that, a person is
 * asked while the command is blocked; after a no it is ended, and all its changes are reverted.
 */
export function holdAtLimits({ judge, recording, ask }: WatchedRecorder, options: HoldingOptions): Holding {
  const { allows } = judge;
  const { roots, session, ended, end, tell, readOnlyNames } = options;
  const isAnywhere = protectedAnywhere(readOnlyNames);
  const entering = createEntering({
    ...options,
    folder: recording.folder,
    isObeyed: (path) => judge.isObeyed(toText(path)),
    isProtected: (path) => isAnywhere(`/${toText(path)}`, false),
  });
  const barred = new Set<string>();
  const agreed = new Set<string>();
  let inHand: Promise<unknown> = Promise.resolve();
  let lost = 0;
  let isUnsure = false;

  function read(question?: GateQuestion | EntryQuestion): Promise<SoFar> {
    return readSoFar(
      {
        folder: recording.folder,
        roots,
        earlier: session.lost,
        isOurs: recording.isOurs,
        mostBytes: recording.mostBytes,
      },
      question,
    );
  }

  /** Asks a person. After a no the command ends. */
  async function hold(soFar: SoFar): Promise<boolean> {
    recording.onHeld(true);
    if (await ask(await soFar.show(), ended)) {
      recording.onHeld(false);
      return true;
    }
    tell(putBackNote);
    end();
    return false;
  }

  function bar(paths: readonly string[]): void {
    for (const path of paths) {
      const root = roots.find((each) => isBelow(path, each));
      barred.add(toText(root === undefined ? path : relative(root, path)));
    }
  }

  async function decide(question: EntryQuestion): Promise<Entered> {
    const { never, asked, isJudgedLater } = await entering.judge(question.contents, question.folder);
    const isThere = question.kind === 'written';
    bar(never);
    if (isThere) for (const path of never) entering.takeOut(path);
    if (asked.length > 0) {
      const out = isThere ? asked.map((path) => entering.takeOut(path)) : [];
      const contents = isThere ? out : question.contents.filter(({ path }) => asked.includes(path));
      const soFar = await read({ ...question, contents });
      if (!allows(soFar.effects) && !(await hold(soFar))) return refused;
      for (const each of out) each.bringIn();
      for (const path of asked) agreed.add(path);
    }
    if (never.length > 0 && !isThere) return refused;
    return isJudgedLater ? judgedLater : granted;
  }

  const holding = {
    lost: () => lost,
    protectedNames: readOnlyNames,
    mayEnter: (question: EntryQuestion) => (inHand = decide(question)),
    async ends(left: readonly string[]) {
      // The command may have ended during the question.
      await inHand.catch(() => {});
      const contents = left.filter((path) => !agreed.has(path)).map((path) => ({ path, at: path }));
      if (!ended.aborted) await holding.mayEnter({ kind: 'written', contents });
      else {
        const { never, asked } = await entering.judge(contents);
        bar([...never, ...asked]);
        for (const path of [...never, ...asked]) entering.takeOut(path);
      }
      // What a git removed that was at work then, and did not move on, is lost.
      if (isUnsure && !ended.aborted) {
        const soFar = await read();
        if (!allows(soFar.effects)) await hold(soFar);
      }
      entering.noteMakers();
      if (barred.size > 0) tell(barredNote([...barred]));
    },
  };
  if (!judge.readChanges && allows(everything))
    return { ...holding, first: undefined, mayLose: async () => undefined };
  return {
    ...holding,
    first: none,
    async mayLose(question) {
      let soFar = await read(question);
      if (!allows(soFar.effects) && soFar.isInHand) {
        await sleep(inHandMs);
        soFar = await read(question);
      }
      const { effects } = soFar;
      if (allows(effects)) {
        const allowsMore = (losses: Partial<Losses>) =>
          allows({ ...effects, losses: { ...effects.losses, ...losses } });
        const { files, withKept } = effects.losses;
        lost = files;
        isUnsure ||= soFar.isUnsure;
        if (judge.readChanges) return { files: question.files, withKept: question.files + question.kept };
        const more = most((n) => allowsMore({ files: files + n, withKept: withKept + n }));
        const moreKept = most((n) => allowsMore({ withKept: withKept + n }));
        return {
          files: question.files + more,
          withKept: question.files + question.kept + Math.max(more, moreKept),
        };
      }
      if (!(await hold(soFar))) return none;
      isUnsure = false;
      session.lost = 0;
      lost = 0;
      return undefined;
    },
  };
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
