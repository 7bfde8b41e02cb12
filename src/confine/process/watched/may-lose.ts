import { setTimeout as sleep } from 'node:timers/promises';
import type { Losses } from '../../../contract/capabilities/dry-run.ts';
import type { RunOptions } from '../../../contract/capabilities/process.ts';
import { readSoFar, type SoFar } from '../../watched/so-far.ts';
import type { Session } from '../session/session.ts';
import type { GateQuestion } from './gate.ts';
import type { Grant } from './recording.ts';

/** What decides how much a command on the folders themselves may lose. */
export interface Holding {
  /** What it may lose before anything is asked; undefined: any number. */
  readonly first: Grant | undefined;
  mayLose(question: GateQuestion): Promise<Grant | undefined>;
  /** Files that it has lost and that nobody has looked at, as of the last question. */
  lost(): number;
}

/**
 * Lets a command lose what the rules about effects let land of a layer. Where one would be passed, somebody is asked while
 * the command is held; at a no, `end` ends it, and all that it did is put back.
 */
export function holdAtLimits(
  runOptions: Pick<RunOptions, 'effects' | 'watched' | 'onWatchedHold'>,
  roots: readonly string[],
  session: Session,
  ended: AbortSignal,
  end: () => void,
): Holding {
  const { effects: judge, watched, onWatchedHold } = runOptions;
  if (!judge || !watched || (!judge.readChanges && judge.allows(everything)))
    return { first: undefined, mayLose: async () => undefined, lost: () => 0 };
  let lost = 0;

  function read(question: GateQuestion): Promise<SoFar> {
    return readSoFar(
      {
        ...{ folder: watched?.folder ?? '', roots, earlier: session.lost },
        isOurs: watched?.isOurs ?? (() => false),
        mostBytes: watched?.mostBytes,
      },
      question,
    );
  }

  return {
    first: none,
    lost: () => lost,
    async mayLose(question) {
      let soFar = await read(question);
      if (!judge.allows(soFar.effects) && soFar.isInHand) {
        await sleep(inHandMs);
        soFar = await read(question);
      }
      const { effects } = soFar;
      if (judge.allows(effects)) {
        const allows = (losses: Partial<Losses>) =>
          judge.allows({ ...effects, losses: { ...effects.losses, ...losses } });
        const { files, withKept } = effects.losses;
        lost = files;
        if (judge.readChanges) return { files: question.files, withKept: question.files + question.kept };
        const more = most((n) => allows({ files: files + n, withKept: withKept + n }));
        const moreKept = most((n) => allows({ withKept: withKept + n }));
        return {
          files: question.files + more,
          withKept: question.files + question.kept + Math.max(more, moreKept),
        };
      }
      watched.onHeld(true);
      if (await onWatchedHold?.(await soFar.show(), ended)) {
        watched.onHeld(false);
        session.lost = 0;
        lost = 0;
        return undefined;
      }
      end();
      return none;
    },
  };
}

/** The largest number that it holds for, where it holds for all that are smaller. */
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
