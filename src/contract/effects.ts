import type { Effects } from './capabilities/dry-run.ts';
import type { Text } from './text/text.ts';

/** The effects land, a person is asked, or they are discarded. */
export type EffectDecision = 'allow' | 'ask' | 'deny';

/** An operator's rule about what a command did on a layer, not about its words. All of `effect` must match. */
export interface EffectRule {
  readonly id?: string | undefined;
  readonly effect: {
    /** "> 20 files": matches if more files than that are deleted or emptied. */
    readonly deletes?: string | undefined;
    /** A glob below a root: matches if a matching path is created, changed or deleted. */
    readonly writes?: string | undefined;
    /** Globs: matches if a path that none of them covers is created, changed or deleted. */
    readonly outside?: readonly string[] | undefined;
  };
  readonly then: EffectDecision;
  /** With `ask`: neither a standing approval nor a client may answer. */
  readonly answer?: 'person' | undefined;
  readonly writtenAt?: string | undefined;
  readonly because?: string | undefined;
}

/** The decision on a command's effects, and the rule that made it. */
export interface EffectVerdict {
  readonly decision: EffectDecision;
  readonly rule: string;
  readonly writtenAt?: string | undefined;
  readonly answer?: 'person' | undefined;
  readonly because: Text;
}

export interface EffectRules {
  /** Whether an operator's rule needs every change, not only the losses. */
  readonly readChanges: boolean;
  /** Whether a program later runs or obeys this file without being asked. The path is below a root. */
  isObeyed(path: string): boolean;
  /**
   * Never throws: unknown effects count as the worst possible ones. `isTried`: without a layer, the command would have
   * been asked about or refused, or the operator wants it tried first; then more is asked about.
   */
  decide(effects: Effects, isTried: boolean): EffectVerdict;
}

/** The number of deletions that a rule's `deletes` lets pass: 20 for "> 20 files". Undefined if it is malformed. */
export function mostDeleted(deletes: string): number | undefined {
  const [, most] = /^>\s*(\d{1,9})(\s+files?)?$/.exec(deletes) ?? [];
  return most === undefined ? undefined : Number(most);
}
