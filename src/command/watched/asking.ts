import { constants as os } from 'node:os';
import type { Content } from '../journal/entering.ts';
import type { PendingLoss } from '../journal/so-far.ts';
import { Unkept } from './keep.ts';

/** Indexes in shared memory for the answer to a question, and for what was granted in advance. */
export const answer = 0;
export const moreFiles = 1;
export const moreKept = 2;

export const granted = 1;
/** The command has ended: no more calls are performed. */
export const ended = 2;
export const refused = 3;
/** It may be written: the content is judged once no process writes it any more. */
export const judgedLater = 4;

/** A `moreFiles` that means: ask about no further loss. */
export const anyNumber = 0x7fffffff;

/** A pending loss, with the question whether it may happen. */
export interface GateQuestion extends PendingLoss {
  readonly kind: 'loss';
  /** The losses so far, including this one. */
  readonly files: number;
  /** Losses of files that git also has. */
  readonly kept: number;
}

/** `comes`: before the content comes. `written`: it is there now. */
export interface EntryQuestion {
  readonly kind: 'comes' | 'written';
  readonly contents: readonly Content[];
  /** The new folder that contains them. */
  readonly folder?: string | undefined;
}

/** Content that was written at the end, without a question of the thread. */
export interface Left {
  readonly kind: 'left';
  readonly paths: readonly string[];
}

/** Blocks the command until the main thread has answered: this thread answers none of its calls until then. */
export type Asking = (question: GateQuestion | EntryQuestion) => number;

/** Throws if the command has ended. */
export function createAsking(
  state: Int32Array<SharedArrayBuffer>,
  post: (question: GateQuestion | EntryQuestion) => void,
): Asking {
  return (question) => {
    if (Atomics.compareExchange(state, answer, granted, 0) !== ended) {
      post(question);
      Atomics.wait(state, answer, 0);
    }
    const said = Atomics.load(state, answer);
    if (said === ended) throw new Unkept(os.errno.EINTR);
    Atomics.compareExchange(state, answer, said, granted);
    return said;
  };
}
