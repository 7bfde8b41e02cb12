import { Unkept } from './keep.ts';

/** Places in the shared memory by which a question is answered, and what was granted before it is asked. */
export const answer = 0;
export const moreFiles = 1;
export const moreKept = 2;

export const granted = 1;
/** The command has ended: nothing more is done for it. */
export const ended = 2;
export const refused = 3;
/** It may be written: what it holds is judged as soon as nobody writes it any more. */
export const judgedLater = 4;

/** As `moreFiles`: no loss is asked about any more. */
export const anyNumber = 0x7fffffff;

/** A loss that waits, and for which somebody is to say whether it may happen. */
export interface GateQuestion {
  readonly kind: 'loss';
  /** Host path, bytes, one a character. */
  readonly path: string;
  readonly isFolder: boolean;
  /** How many it counted so far, with this one. */
  readonly files: number;
  /** Those that git keeps. */
  readonly kept: number;
}

/** A content that is about to come to a path that something obeys. */
export interface Coming {
  /** Host path, bytes, one a character. */
  readonly path: string;
  /** Where it lies now; absent where it is yet to be written. */
  readonly at?: string | undefined;
}

/** `comes`: before it does. `written`: it lies there by now. */
export interface EntryQuestion {
  readonly kind: 'comes' | 'written';
  readonly contents: readonly Coming[];
  /** The new folder that they come in. */
  readonly folder?: string | undefined;
}

/** What was written at the end, and is judged by no question of the thread. */
export interface Left {
  readonly kind: 'left';
  readonly paths: readonly string[];
}

/** Holds the command until the main thread has answered: this thread answers none of its calls meanwhile. */
export type Asking = (question: GateQuestion | EntryQuestion) => number;

/** Throws where the command has ended. */
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
    if (said === ended) throw new Unkept(EINTR);
    Atomics.compareExchange(state, answer, said, granted);
    return said;
  };
}

const EINTR = 4;
