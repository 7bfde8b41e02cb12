import type { Confinement, DecisionKind, Dialect } from '../../../contract/capabilities/judgement.ts';
import type { Text } from '../../../contract/text/text.ts';
import type { Link } from '../places/links.ts';
import type { Variables } from '../variables/values.ts';
import type { Word } from '../words/word.ts';

/** What a command cannot do without, and the sandbox may not give. */
export type Need =
  | {
      readonly kind: 'network' /** Hosts, or sets of them by name. */;
      readonly hosts?: readonly string[];
      readonly offline?: string | undefined;
    }
  /** Another user's rights, the folders of the system, its services. */
  | { readonly kind: 'system' }
  | { readonly kind: 'daemon' };

interface RuleBase {
  readonly id: string;
  readonly decision: DecisionKind;
  /** From this way of reading on; without it in every one. */
  readonly dialect?: Dialect | undefined;
  /** A layer holds what it warns of: a dry run changes no file. */
  readonly contained?: boolean | undefined;
  /** It holds in a sandbox only: it speaks of what that does not give. */
  readonly whenConfined?: boolean | undefined;
  readonly because: Text;
  readonly suggestion: Text;
  /** Command lines that the rule must find something in, and such that it must not; `builtin.test.ts` tries them. */
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
}

/** A rule about one command, whoever started it. */
export interface CommandRule extends RuleBase {
  /** Names that the rule looks at; without them it looks at every command. */
  readonly programs?: readonly string[] | undefined;
  fits(use: Use, scene: Scene): boolean;
  /** Names what the rule found; shown before the reason. */
  readonly names?: ((use: Use) => Text | undefined) | undefined;
  /** What it cannot do without; nothing where it may succeed anyway. */
  needs?(use: Use): Need | undefined;
}

/**
 * A rule about the way a command is written; the reading of it (`examine.ts`, `syntax/walk.ts`) names the rule by id.
 */
export type ConstructRule = RuleBase;

export type Rule = CommandRule | ConstructRule;

/** One command as it would be run, taken out of whatever it was wrapped in. */
export interface Use {
  readonly program: string;
  /** The name and the arguments. */
  readonly words: readonly Word[];
  readonly args: readonly Word[];
  /** Programs around it, outermost first. */
  readonly via: readonly string[];
  /** Another program starts it, so that no builtin of a shell is meant. */
  readonly isProgram: boolean;
  /** Its standard input, where it is written in the command or comes from another command. */
  readonly input: Input;
}

export interface Input {
  /** Here-documents and here-strings. */
  readonly texts: readonly Word[];
  /** Files, and descriptors as `&3`. */
  readonly files: readonly Word[];
  /** Commands before it in a pipe fetch from the network, decode, or do anything at all. */
  fetched(): boolean;
  decoded(): boolean;
  /** A command before it in a pipe prints the environment, or a file of credentials. */
  credentials(): boolean;
  /**
   * It is what a listing before it in the pipe prints, or some of it: names of files, or words that are written out.
   */
  namesOnly(): boolean;
  /** It is the names of all that is there, as a listing before it in the pipe prints them. */
  allNames(): boolean;
  /** It is paths that a find before it in the pipe prints, or some of them. */
  foundOnly(): boolean;
  /** It is what a find right before it in the pipe prints: paths parted by NUL. */
  pathsOnly(): boolean;
}

/** What rules may know of the whole command line. */
export interface Scene {
  readonly dialect: Dialect;
  /** The shell of the whole line; nothing where a program is started without one. */
  readonly shell: 'sh' | 'bash' | undefined;
  readonly confinement: Confinement | undefined;
  readonly roots: readonly string[];
  /** Every folder that a command in it may run in; nothing where that is not known. */
  readonly folders: readonly string[] | undefined;
  readonly variables: Variables;
  /** Symbolic links that commands in it make. */
  readonly links: readonly Link[];
  readonly read: ReadFile;
}

/** A small file as it stands, for what a project's manifest names; undefined where there is none to read. */
export type ReadFile = (path: string) => string | undefined;
