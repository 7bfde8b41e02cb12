import type { Confinement, DecisionKind, Dialect } from '../../../contract/capabilities/judgement.ts';
import type { Text } from '../../../contract/text/text.ts';
import type { Use } from '../reader/reading.ts';

export type { Use } from '../reader/reading.ts';

interface RuleBase {
  readonly id: string;
  readonly decision: DecisionKind;
  /** From this way of reading on; without it in every one. */
  readonly dialect?: Dialect | undefined;
  /** A layer holds what it warns of: a dry run changes no file. */
  readonly contained?: boolean | undefined;
  /**
   * It is about what only exists outside of a sandbox: hosts, or the machine itself. If the sandbox gives no way there,
   * the command fails by itself, and a question could not help.
   */
  readonly needs?: 'hosts' | 'machine' | undefined;
  readonly because: Text;
  readonly suggestion: Text;
  /** Command lines that the rule must find something in, and such that it must not; `builtin.test.ts` tries them. */
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
}

/** A rule about one command. */
export interface CommandRule extends RuleBase {
  /** Names that the rule looks at. */
  readonly programs: readonly string[];
  fits(use: Use, scene: Scene): boolean;
  /** It is about more than this command, so a yes to the command is none to what was found. */
  readonly isAboutPipe?: boolean | undefined;
  /** It found something that no layer contains, as it lies outside of the roots. */
  reachesBeyond?(use: Use, scene: Scene): boolean;
}

/** A rule about the way a line is written; `judge.ts` names it by id. */
export type ConstructRule = RuleBase;

export type Rule = CommandRule | ConstructRule;

/** What rules may know of the whole command line. */
export interface Scene {
  readonly dialect: Dialect;
  readonly confinement: Confinement | undefined;
  readonly roots: readonly string[];
  /** Folders that a command in it may run in, as far as the line names them. */
  readonly folders: readonly string[];
  /** It changes its folder, so that what a relative path names is not known. */
  readonly moves: boolean;
  readonly read: ReadFile;
}

/** A small file as it stands, for what a project's manifest names; undefined where there is none to read. */
export type ReadFile = (path: string) => string | undefined;
