import type { DecisionKind, Dialect } from './capabilities/judgement.ts';
import type { CommandLine } from './capabilities/process.ts';
import type { Text } from './text/text.ts';

/** Text that a proxied tool is handed and that runs: a command line, or a script to be written down. */
export interface Passed {
  readonly text: string;
  readonly isLine: boolean;
}

/** The things that a call would touch, as its tool derives them from the checked input; the policy decides on them. */
export interface Risk {
  /** Paths relative to their root, as rules write them. */
  readonly reads?: readonly string[] | undefined;
  readonly writes?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly command?:
    | {
        readonly line: CommandLine;
        readonly dialect: Dialect;
        /** Variables that earlier commands of the session set; an approval covers only these and this folder. */
        readonly variables?: Readonly<Record<string, string>> | undefined;
        /** It runs on a layer that is discarded, so its effects on files are not asked about. */
        readonly dryRun?: boolean | undefined;
        /** Its tool starts it and ends with it, so it can run on a layer. */
        readonly endsWithCall?: boolean | undefined;
      }
    | undefined;
  /** The working folder to show a person, relative. */
  readonly workingFolder?: string | undefined;
  /** A credential that the call would send to others. */
  readonly secret?: OutgoingSecret | undefined;
  /** A description of the things beyond its server that a proxied tool's arguments reach. */
  readonly reach?: Text | undefined;
  /** Command lines among a proxied tool's arguments. */
  readonly passes?: readonly Passed[] | undefined;
  /** The command is to run outside the sandbox, as the person at this machine. */
  readonly outside?: OutsideRun | undefined;
  /** A tool's own question, e.g. a proxied tool that may change things. */
  readonly ask?: Text | undefined;
  /** Lines that a person reads instead of the arguments. */
  readonly steps?: readonly Text[] | undefined;
}

/** A yes to a command outside the sandbox covers this, its line and its folder. If one of them differs, a person is asked again. */
export interface OutsideRun {
  /** The agent's own words. */
  readonly reason: string;
  /** All that the command gets. */
  readonly variables: Readonly<Record<string, string>>;
  /** The files in the roots that the line names, with the SHA-256 of their contents. */
  readonly files: Readonly<Record<string, string>>;
  readonly sessionId: string;
}

/** Data that a call would send to others although it should stay here. */
export interface OutgoingSecret {
  /** Its kind: a credential, a card number. */
  readonly what: Text;
  /** The argument's path, `headers.Authorization`. */
  readonly argument: string;
  readonly isEncoded: boolean;
}

/** An operator's rule, as in the configuration (`server.md`, Policy). */
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
  /** With `ask`: no standing approval, plan or program may answer it. */
  readonly answer?: 'person' | undefined;
  /** `FILE:LINE`, if it came from a file. */
  readonly writtenAt?: string | undefined;
  readonly because: string;
  readonly match?: readonly string[] | undefined;
  readonly notMatch?: readonly string[] | undefined;
}

export type Mode = 'read-only' | 'workspace-write' | 'full-access';

/** `try`: it runs on a layer at once, and its effects decide. */
export type PolicyDecision = DecisionKind | 'try';

/** The policy's decision on a call: the strictest of all matching rules, and which rule it was. */
export interface PolicyVerdict {
  readonly decision: PolicyDecision;
  readonly rule: string;
  /** The source of the rule, `FILE:LINE`. Undefined: it is built in. */
  readonly writtenAt?: string | undefined;
  readonly because: Text;
  /** With `ask`: only a person may answer, at our console or terminal, and for this call alone. */
  readonly answer?: 'person' | undefined;
  /** It runs on a layer: with `try`, and with an `ask` about effects that a layer does not contain. */
  readonly onLayer?: boolean | undefined;
  readonly suggestion?: Text | undefined;
  /** The part of the command that matched, as the caller wrote it. */
  readonly excerpt?: string | undefined;
  /** How many other commands of the same call are asked about. */
  readonly others?: number | undefined;
}

/** A rule for a list that people read. */
export interface RuleLine {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly because: Text;
  readonly suggestion?: Text | undefined;
  /** Examples of matches: command lines, paths, hosts or tools. */
  readonly examples: readonly string[];
  /** The first dialect in which the rule applies; later ones include it. Undefined: all. */
  readonly from?: Dialect | undefined;
}
