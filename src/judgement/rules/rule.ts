import type { Confinement, DecisionKind, Dialect } from '../../contract/capabilities/judgement.ts';
import type { Text } from '../../contract/text/text.ts';
import type { Use } from '../reader/reading.ts';

export type { Use } from '../reader/reading.ts';

interface RuleBase {
  readonly id: string;
  readonly decision: DecisionKind;
  /** The first dialect in which the rule applies; undefined: in all. */
  readonly dialect?: Dialect | undefined;
  /** A layer contains the effect: a dry run changes no file. */
  readonly contained?: boolean | undefined;
  /**
   * It concerns only things outside a sandbox: hosts, or the machine itself. Without access to them the command fails
   * by itself, and a question would not help. `tunnels`: it sends, which is asked about when it does unless a host is passed
   * on unread.
   */
  readonly needs?: 'hosts' | 'tunnels' | 'machine' | undefined;
  readonly because: Text;
  readonly suggestion: Text;
  /** Up to three lines that it finds, for people; `test/judgement/rules.txt` has more, and those that it must not find. */
  readonly examples: readonly string[];
}

export interface CommandRule extends RuleBase {
  /** The programs that the rule applies to. */
  readonly programs: readonly string[];
  fits(use: Use, scene: Scene): boolean;
  /** It is about more than this command, so a yes to the command does not answer it. */
  readonly isAboutPipe?: boolean | undefined;
  /** Its target is outside the roots, so no layer contains the effect. */
  reachesBeyond?(use: Use, scene: Scene): boolean;
}

/** A rule about the form of a line; `judge.ts` finds it by id. */
export type ConstructRule = RuleBase;

export type Rule = CommandRule | ConstructRule;

/** Facts about the whole command line for rules. */
export interface Scene {
  readonly dialect: Dialect;
  readonly confinement: Confinement | undefined;
  readonly roots: readonly string[];
  /** Folders that its commands may run in, as far as the line names them. */
  readonly folders: readonly string[];
  /** It changes its folder, so the target of a relative path is not known. */
  readonly moves: boolean;
  readonly read: ReadFile;
}

/** Reads a small file, such as a manifest; undefined if it is not readable. */
export type ReadFile = (path: string) => string | undefined;
