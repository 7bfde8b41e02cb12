import type { Effects } from './capabilities/dry-run.ts';
import type { Text } from './text/text.ts';

/** The effects land, a person is asked, or they are discarded. */
export type EffectDecision = 'allow' | 'ask' | 'deny';

/** A rule of the operator about what a command did on a layer, not about its words. All of `effect` must fit. */
export interface EffectRule {
  readonly id?: string | undefined;
  readonly effect: {
    /** "> 20 files": more than so many are deleted or emptied. */
    readonly deletes?: string | undefined;
    /** A glob below a root: something that it fits is created, changed or deleted. */
    readonly writes?: string | undefined;
    /** Globs: something that none of them fits is created, changed or deleted. */
    readonly outside?: readonly string[] | undefined;
  };
  readonly then: EffectDecision;
  /** With `ask`: no standing approval answers it, nor a client. */
  readonly answer?: 'person' | undefined;
  readonly writtenAt?: string | undefined;
  readonly because?: string | undefined;
}

/** What is to become of the effects of a command, and by which rule. */
export interface EffectVerdict {
  readonly decision: EffectDecision;
  readonly rule: string;
  readonly writtenAt?: string | undefined;
  readonly answer?: 'person' | undefined;
  readonly because: Text;
}

/** The rules about effects. */
export interface EffectRules {
  /** Does a rule of the operator need each change, not only the losses? */
  readonly readChanges: boolean;
  /** Does a program run or obey this file later by itself? The path is below a root. */
  isObeyed(path: string): boolean;
  /**
   * Never throws: what is not known of the effects counts as the worst that it could be. `isTried`: without a layer, the
   * command would have been asked about or refused, or the operator has it tried first; then more is asked about.
   */
  decide(effects: Effects, isTried: boolean): EffectVerdict;
}

/** What judges a command that runs on a layer, before what it did lands. */
export interface EffectsJudge extends Pick<EffectRules, 'readChanges' | 'isObeyed'> {
  /** It runs on a layer and nowhere else, and lands only by `HeldLayer.land`. */
  readonly isTried: boolean;
  /** May it land at once? */
  allows(effects: Effects): boolean;
}

/** How many deletions a rule's `deletes` lets pass: 20 for "> 20 files". Undefined where it has another form. */
export function mostDeleted(deletes: string): number | undefined {
  const [, most] = /^>\s*(\d{1,9})(\s+files?)?$/.exec(deletes) ?? [];
  return most === undefined ? undefined : Number(most);
}
