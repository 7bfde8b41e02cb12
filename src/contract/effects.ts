import type { Effects } from './capabilities/dry-run.ts';
import type { Text } from './text/text.ts';

/** The effects land, a person is asked, or they are discarded. */
export type EffectDecision = 'allow' | 'ask' | 'deny';

/** The effects of a request on the host that it is sent to, but for `read`. `listen`: a command's port is published. */
export const requestKinds = ['send', 'change', 'delete', 'publish', 'rights', 'listen'] as const;
export type RequestKind = 'read' | (typeof requestKinds)[number];

/** A held request, for rules to read. */
export interface RequestFacts {
  readonly kind: RequestKind;
  /** With its port, if that is not the usual one. */
  readonly host: string;
  readonly path: string;
  /** Undefined if its length is not known. */
  readonly bodyBytes: number | undefined;
}

/** An operator's rule about what a command did or would send. All of `effect` must match: files, or requests. */
export interface EffectRule {
  readonly id?: string | undefined;
  readonly effect: {
    /** "> 20 files": matches if more files than that are deleted or emptied. */
    readonly deletes?: string | undefined;
    /** A glob below a root: matches if a matching path is created, changed or deleted. */
    readonly writes?: string | undefined;
    /** Globs: matches if a path that none of them covers is created, changed or deleted. */
    readonly outside?: readonly string[] | undefined;
    /** A glob of hosts and paths, or "> 64 KiB": matches requests there, or of more bytes, that do more than read. */
    readonly sends?: string | undefined;
    /** Matches requests of these kinds. */
    readonly kind?: readonly RequestKind[] | undefined;
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
  /** Undefined if no rule fits: a person is asked. */
  decideRequest(request: RequestFacts): EffectVerdict | undefined;
}

/** The number of bytes that a rule's `sends` lets pass: 65536 for "> 64 KiB". Undefined if it is no number. */
export function mostSent(sends: string): number | undefined {
  const [, most, unit = ''] = /^>\s*(\d{1,9})\s*(bytes?|[kM]B|[KM]iB)?$/.exec(sends) ?? [];
  if (most === undefined) return undefined;
  return Number(most) * ({ kB: 1000, KiB: 1024, MB: 1000 ** 2, MiB: 1024 ** 2 }[unit] ?? 1);
}

/** The number of deletions that a rule's `deletes` lets pass: 20 for "> 20 files". Undefined if it is malformed. */
export function mostDeleted(deletes: string): number | undefined {
  const [, most] = /^>\s*(\d{1,9})(\s+files?)?$/.exec(deletes) ?? [];
  return most === undefined ? undefined : Number(most);
}
