import type { SyntaxNode } from 'unbash';
import type { Text } from '../../../contract/text/text.ts';
import type { Scene } from '../rules/rule.ts';
import type { Given } from '../variables/variables.ts';
import type { Word } from '../words/word.ts';
import type { Change } from '../writing.ts';

/** Changes to the text that runs after which it is not bad. */
export type Guards = (scene: Scene) => readonly Change[];

/** What the inspection of a node is told, and where it reports what it finds. */
export interface NodeNotes {
  readonly strict: boolean;
  /** It runs once for each file that a search found. */
  readonly isForEach: boolean;
  /** `named` says what it is that the rule speaks of. */
  raise(rule: string, named?: Text): void;
  /** Asked when the whole script is read and its variables are known. */
  defer(rule: string, isBad: (scene: Scene) => boolean, guards?: Guards): void;
  assign(name: string, value: Word | undefined, given?: Given): void;
  /** Names in arithmetic that get a value: they must stay names. */
  readonly targets: WeakSet<SyntaxNode>;
  /** The name is given, one after the other, all that a listing names, or that the array `from` holds. */
  list(name: string, from?: string): void;
  /** Separators that hold for one `read` part nothing else. */
  onlyForRead(assignment: SyntaxNode): void;
}
