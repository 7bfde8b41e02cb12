import type { DecisionKind, Dialect } from './capabilities/judgement.ts';
import type { CommandLine } from './capabilities/process.ts';
import type { Text } from './text/text.ts';

/** What a call would touch, as its tool reads it from the checked input; policy answers it. */
export interface Risk {
  /** Paths relative to their root, as rules write them. */
  readonly reads?: readonly string[] | undefined;
  readonly writes?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly command?:
    | {
        readonly line: CommandLine;
        readonly dialect: Dialect;
        /** What earlier commands of the session left it; a yes holds for these and this folder only. */
        readonly variables?: Readonly<Record<string, string>> | undefined;
        /** It runs on a layer that is thrown away: what it does to files is not asked about. */
        readonly dryRun?: boolean | undefined;
        /** Its tool starts it anew and ends with it, so that it can run on a layer. */
        readonly endsWithCall?: boolean | undefined;
      }
    | undefined;
  /** The working folder that a person is shown, relative. */
  readonly workingFolder?: string | undefined;
  /** Where a credential would be sent to others. */
  readonly secret?: OutgoingSecret | undefined;
  /** What a proxied tool is handed that reaches beyond it. */
  readonly reach?: Text | undefined;
  /** Command lines that a proxied tool is handed. */
  readonly passes?: readonly string[] | undefined;
  /** A tool's own question, e.g. a proxied tool that may change things. */
  readonly ask?: Text | undefined;
  /** What a person reads in place of the arguments, a line each. */
  readonly steps?: readonly Text[] | undefined;
}

/** What a call would send to others and should stay here. */
export interface OutgoingSecret {
  /** The kind of it: a credential, the number of a card. */
  readonly what: Text;
  /** The argument's path, `headers.Authorization`. */
  readonly argument: string;
  readonly isEncoded: boolean;
}

/** A rule of the operator, as the configuration holds it (`server.md`, Policy). */
export interface PolicyRule {
  readonly id?: string | undefined;
  readonly tool?: string | undefined;
  readonly role?: string | undefined;
  readonly purpose?: string | undefined;
  readonly user?: string | undefined;
  readonly annotations?: Readonly<Record<string, boolean>> | undefined;
  readonly command?: readonly (string | readonly string[])[] | undefined;
  readonly path?: string | undefined;
  readonly host?: string | undefined;
  readonly decision: PolicyDecision;
  /** With `ask`: no standing approval, no plan and no program answers it. */
  readonly answer?: 'person' | undefined;
  /** `FILE:LINE`, where it came from a file. */
  readonly writtenAt?: string | undefined;
  readonly because: string;
  readonly match?: readonly string[] | undefined;
  readonly notMatch?: readonly string[] | undefined;
}

export type Mode = 'read-only' | 'workspace-write' | 'full-access';

/** `try`: it runs on a layer at once, and what it did decides. */
export type PolicyDecision = DecisionKind | 'try';

/** The policy's decision on a call: the strictest of all rules that fit, and which rule it was. */
export interface PolicyVerdict {
  readonly decision: PolicyDecision;
  readonly rule: string;
  /** Where the rule is written, `FILE:LINE`; absent: it is built in. */
  readonly writtenAt?: string | undefined;
  readonly because: Text;
  /** With `ask`: only a person answers, at our console or terminal, and for this call alone. */
  readonly answer?: 'person' | undefined;
  /** It runs on a layer: with `try`, and with an `ask` about what a layer does not contain. */
  readonly onLayer?: boolean | undefined;
  readonly suggestion?: Text | undefined;
  /** The part of a command that it is about, as the caller wrote it. */
  readonly excerpt?: string | undefined;
  /** How many commands of the same call are asked about beside that one. */
  readonly others?: number | undefined;
}

/** A rule as a person reads it in a list. */
export interface RuleLine {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly because: Text;
  readonly suggestion?: Text | undefined;
  /** What it finds: command lines, paths, hosts or tools. */
  readonly examples: readonly string[];
  /** The first dialect in which the rule holds, and in those after it; absent: in all. */
  readonly from?: Dialect | undefined;
}
