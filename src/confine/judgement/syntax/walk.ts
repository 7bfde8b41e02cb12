import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';
import type { Printed } from '../print/print.ts';
import { isPlainText, textInQuotes } from '../print/quote.ts';
import type { Word } from '../words/word.ts';
import { Known } from './known.ts';
import { readCommand } from './read-command.ts';

/** A command as it stands in a script. */
export interface FoundCommand {
  readonly words: readonly Word[];
  /** The excerpt for a message; a function, as most are never shown. */
  readonly excerpt: () => string;
  readonly place: Place;
  readonly texts: readonly Word[];
  readonly files: readonly Word[];
}

/** Where a command stands: in which functions, behind which pipes. */
export interface Place {
  readonly functions: readonly string[];
  readonly pipes: Pipe | undefined;
  /** Folders that the shell has surely gone to before. */
  readonly folders: readonly Word[];
  /** Nothing before it can have taken the shell anywhere else. */
  readonly isExact?: boolean;
  /** Inside its function it runs beside others: in a pipe, in the background or in a substitution. */
  readonly forks: boolean;
}

export interface Pipe {
  readonly pipeline: SyntaxNode & { readonly type: 'Pipeline' };
  readonly stage: number;
  readonly outer: Pipe | undefined;
}

export interface SyntaxVisitor {
  command(command: FoundCommand): void;
  /** Every node that is more than its text, before its children. */
  node(node: SyntaxNode): void;
  unread(rule: string, excerpt: string): void;
  /** From here on the name is a map, whatever comes later. */
  map(name: string): void;
}

/** A node, and what is so where it stands. */
interface Step {
  readonly node: SyntaxNode;
  readonly place: Place;
  readonly depth: number;
  readonly known: Known;
  /** What is known once this has succeeded, to what stands behind it and `&&`. */
  readonly then: Known | undefined;
  /** It always runs, and before everything that follows it. */
  readonly isSure: boolean;
  /** It may run more than once, so what stands behind it may come before it. */
  readonly repeats: boolean;
}

/** The parser keeps the text of a word without its parts past 256 levels: stop well before. */
const maxDepth = 200;

/** Walks a script, every node of it. */
export function walkScript(
  script: ParsedScript,
  place: Place,
  excerptOf: ExcerptOf,
  visitor: SyntaxVisitor,
): void {
  let moves = 0;
  let isOver = false;
  visit({
    node: script,
    place,
    depth: 0,
    known: new Known(),
    then: undefined,
    isSure: true,
    repeats: false,
  });

  function visit(step: Step): void {
    const { node, depth } = step;
    visitor.node(node);
    if (node.type === 'Command') visitCommand(node, step);
    const isStraight = straight.has(node.type);
    const repeats = step.repeats || loops.has(node.type);
    const knowns = knownTo(step);
    const isAlone = node.type === 'Statement';
    let position = -1;
    forEachChild(node, (child) => {
      position++;
      if (isOver || (child.type === 'Word' && isPlainText(child.text))) return;
      if (depth === maxDepth) {
        isOver = true;
        visitor.unread('too-deep', excerptOf(child));
      }
      if (isOver || isNothingButText(child)) return;
      // Within `"${x:-'…'}"` these quotes would be none.
      if (child.type === 'Word' && node.type === 'Command' && textInQuotes(child.text) !== undefined) return;
      const [known, then] = knowns?.(child, position) ?? [step.known, isAlone ? step.then : undefined];
      const isFirst = node.type !== 'AndOr' || position === 0;
      visit({
        node: child,
        place: placeOf(position, step),
        depth: depth + 1,
        known,
        then,
        isSure: step.isSure && isStraight && isFirst && known === step.known,
        repeats,
      });
    });
  }

  function visitCommand(node: Command, step: Step): void {
    const { words: written, texts, files } = readCommand(node);
    const isFixed = written.every(({ value }) => value !== undefined);
    const words = isFixed ? written : written.map((word) => withKnown(word, step.known));
    const folders = step.known.folders();
    const isExact = !step.repeats && moves === folders.length;
    visitor.command({
      words,
      texts,
      files,
      excerpt: () => excerptOf(node),
      place: placeIn(step.place, joined(place.folders, folders), isExact),
    });
    learn(node, words, step);
    if (mayMove(words[0])) moves++;
    if (step.isSure) for (const name of mapsIn(words)) visitor.map(name);
  }
}

type Command = SyntaxNode & { readonly type: 'Command' };

/** Nothing is to be said of it, and nothing is in it. */
function isNothingButText(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
    case 'FileDescriptor':
    case 'HereDocDelimiter':
      return true;
    default:
      return false;
  }
}

const loops: ReadonlySet<string> = new Set(['Function', 'For', 'ArithmeticFor', 'Select', 'While']);

/** Can this command take the shell to another folder, by itself or by what it reads or is called? */
function mayMove(name: Word | undefined): boolean {
  const program = name?.value;
  if (!name || program === undefined) return name !== undefined;
  return /^(cd|pushd|popd|chdir|eval|source|\.|trap|builtin|command|exec|alias)$/.test(program);
}

/** The place, with the folders that were surely gone to before it. */
function placeIn(here: Place, folders: readonly Word[], isExact: boolean): Place {
  if (folders.length === 0 && !isExact) return here;
  const { functions, pipes, forks } = here;
  return { functions, pipes, folders, forks, isExact };
}

/** Notes what a command leaves behind for those that come after it. */
function learn(node: Command, words: readonly Word[], step: Step): void {
  const [name, first] = words;
  const program = name?.value ?? '';
  if (!name) for (const part of node.prefix) if (part.type === 'Assignment') step.known.set(part.name);
  if (declares.has(program))
    for (const part of node.suffix) if (part.type === 'Assignment') step.known.set(part.name);
  if (program === 'cd' && first && words.length === 2) step.then?.goTo(first);
}

const declares: ReadonlySet<string> = new Set(['export', 'local', 'declare', 'typeset', 'readonly']);
const straight: ReadonlySet<string> = new Set(['Script', 'Statement', 'Pipeline', 'AndOr']);

/** `declare -A m` and nothing else. */
function mapsIn(words: readonly Word[]): readonly string[] {
  const [name, flags] = words;
  if (!/^(declare|typeset)$/.test(name?.value ?? '') || !/^-[a-zA-Z]*A[a-zA-Z]*$/.test(flags?.value ?? ''))
    return [];
  return words.slice(2).flatMap(({ prefix }) => /^[A-Za-z_]\w*(?=$|=)/.exec(prefix)?.[0] ?? []);
}

/** What is known to each child of a node, by its position; nothing where that is what is known to the node itself. */
function knownTo({
  node,
  known,
  then,
  depth,
}: Step): ((child: SyntaxNode, at: number) => readonly [Known, (Known | undefined)?]) | undefined {
  switch (node.type) {
    case 'Script':
    case 'CompoundList': {
      const block = depth === 0 ? known : new Known(known);
      return () => [block];
    }
    case 'Statement':
      return node.background ? () => [new Known(known)] : undefined;
    case 'Pipeline':
      if (node.commands.length > 1) return () => [new Known(known)];
      return () => (node.prefixes.some(({ type }) => type === 'Negation') ? [known] : [known, then]);
    case 'AndOr': {
      // Behind `||` nothing of what stands before it is sure; the first always runs.
      let chain = new Known(known);
      const [first] = node.commands;
      const leaves = node.commands[1];
      if (
        node.commands.length === 2 &&
        node.operators[0] === '||' &&
        leaves?.type === 'Command' &&
        /^(exit|return)$/.test(leaves.name?.text ?? '')
      ) {
        const alone = first;
        return (child) => (child === alone ? [known, known] : [new Known(known)]);
      }
      return (_child, at) => {
        if (at === 0) return [known, chain];
        if (node.operators[at - 1] === '||') chain = new Known(known);
        return [chain, chain];
      };
    }
    case 'For':
    case 'Select': {
      const body = new Known(known);
      body.set(node.name.value);
      return () => [body];
    }
    default:
      return undefined;
  }
}

/** The word, with those of its variables marked that surely have a value. */
function withKnown(word: Word, known: Known): Word {
  if (!word.pieces.some((piece) => piece.kind === 'variable' && known.isSet(piece.name))) return word;
  const pieces = word.pieces.map((piece) =>
    piece.kind === 'variable' && known.isSet(piece.name) ? { ...piece, isSet: true } : piece,
  );
  return { ...word, pieces };
}

function placeOf(position: number, { node, place }: Step): Place {
  switch (node.type) {
    case 'Function':
      return { ...place, functions: [...place.functions, node.name.value], forks: false };
    case 'Pipeline': {
      if (node.commands.length < 2) return place;
      const stage = position - node.prefixes.length;
      return { ...place, pipes: { pipeline: node, stage, outer: place.pipes }, forks: true };
    }
    case 'Statement':
      return node.background ? { ...place, forks: true } : place;
    // The shell waits for a substitution: what calls itself in one goes deeper, and does not multiply.
    case 'ProcessSubstitution':
    case 'Coproc':
      return { ...place, forks: true };
    default:
      return place;
  }
}

/** What is shown of a node in a message. */
export type ExcerptOf = (node: SyntaxNode) => string;

export function excerptsOf({ origins, text }: Printed): ExcerptOf {
  return (node) => clean(origins(node) ?? text.slice(node.pos, node.end));
}

function joined<Item>(first: readonly Item[], second: readonly Item[]): readonly Item[] {
  return first.length === 0 ? second : [...first, ...second];
}

const maxExcerptChars = 160;

/** A piece of the command for a message: short, on one line, nothing hidden. */
export function clean(text: string): string {
  const shown = text
    .slice(0, maxExcerptChars * 2)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const points = [...shown];
  return points.length > maxExcerptChars ? `${points.slice(0, maxExcerptChars - 1).join('')}…` : shown;
}
