import { forEachChild, type SyntaxNode } from 'unbash';
import type { Printed } from '../print/print.ts';
import { isPlainText } from '../print/quote.ts';
import type { Word } from '../words/word.ts';
import { type Known, knownWithin } from './known.ts';
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
  /** Every node, before its children. */
  node(node: SyntaxNode, excerpt: () => string): void;
  unread(rule: string, excerpt: string): void;
  /** From here on the name is a map, whatever comes later. */
  map(name: string): void;
}

interface Step {
  readonly node: SyntaxNode;
  readonly place: Place;
  readonly depth: number;
  readonly known: Known;
  /** It always runs, and before everything that follows it. */
  readonly isSure: boolean;
  /** It may run more than once, so what stands behind it may come before it. */
  readonly repeats: boolean;
  /** What is known once this has succeeded, to what stands behind it and `&&`. */
  readonly then?: Known | undefined;
}

/** The parser keeps the text of a word without its parts past 256 levels: stop well before. */
const maxDepth = 200;

/** Walks a script, every node of it, without recursion. */
export function walkScript(printed: Printed, place: Place, visitor: SyntaxVisitor): void {
  const steps = [stepTo(printed.script, place, 0, knownWithin(), undefined, true, false)];
  let moves = 0;
  const excerptOf = (node: SyntaxNode) =>
    clean(printed.origins(node) ?? printed.text.slice(node.pos, node.end));
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { node, depth } = step;
    if (depth > maxDepth) {
      visitor.unread('too-deep', excerptOf(node));
      return;
    }
    const excerpt = () => excerptOf(node);
    visitor.node(node, excerpt);
    if (node.type === 'Command') {
      const { words: written, texts, files } = readCommand(node);
      const words = written.map((word) => withKnown(word, step.known));
      const here = withFolders(step.place, place, step.known);
      const isExact = !step.repeats && moves === step.known.folders().length;
      visitor.command({ words, texts, files, excerpt, place: isExact ? { ...here, isExact } : here });
      learn(node, words, step);
      if (mayMove(words[0])) moves++;
      if (step.isSure) for (const name of mapsIn(words)) visitor.map(name);
    }
    const here = step;
    const isStraight = straight.has(node.type);
    const repeats = here.repeats || loops.has(node.type);
    const knowns = knownTo(node, step);
    const children: Step[] = [];
    let count = 0;
    forEachChild(node, (child) => {
      const position = count++;
      // Nothing is to be said of a plain word, and nothing is in it.
      if (child.type === 'Word' && isPlainText(child.text)) return;
      const [known, then] = knowns(child, position);
      const isSure = here.isSure && known === here.known && (node.type !== 'AndOr' || position === 0);
      children.push(
        stepTo(child, placeOf(position, here), depth + 1, known, then, isSure && isStraight, repeats),
      );
    });
    for (let child = children.pop(); child; child = children.pop()) steps.push(child);
  }
}

/** All steps are made here, field for field: there are as many as nodes. */
function stepTo(
  node: SyntaxNode,
  place: Place,
  depth: number,
  known: Known,
  then: Known | undefined,
  isSure: boolean,
  repeats: boolean,
): Step {
  return { node, place, depth, known, then, isSure, repeats };
}

const loops: ReadonlySet<string> = new Set(['Function', 'For', 'ArithmeticFor', 'Select', 'While']);

/** Can this command take the shell to another folder, by itself or by what it reads or is called? */
function mayMove(name: Word | undefined): boolean {
  const program = name?.value;
  if (!name || program === undefined) return name !== undefined;
  return /^(cd|pushd|popd|chdir|eval|source|\.|trap|builtin|command|exec|alias)$/.test(program);
}

/** The place, with the folders that were surely gone to before it. */
function withFolders(here: Place, script: Place, known: Known): Place {
  const folders = known.folders();
  return folders.length + script.folders.length === 0
    ? here
    : { ...here, folders: [...script.folders, ...folders] };
}

/** Notes what a command leaves behind for those that come after it. */
function learn(node: SyntaxNode & { type: 'Command' }, [name, ...args]: readonly Word[], step: Step): void {
  const program = name?.value ?? '';
  if (!name) for (const part of node.prefix) if (part.type === 'Assignment') step.known.set(part.name);
  if (declares.has(program))
    for (const part of node.suffix) if (part.type === 'Assignment') step.known.set(part.name);
  const folder = program === 'cd' && args.length === 1 ? args[0] : undefined;
  if (folder) step.then?.goTo(folder);
}

const declares: ReadonlySet<string> = new Set(['export', 'local', 'declare', 'typeset', 'readonly']);
const straight: ReadonlySet<string> = new Set(['Script', 'Statement', 'Pipeline', 'AndOr']);

/** `declare -A m` and nothing else. */
function mapsIn([name, flags, ...names]: readonly Word[]): readonly string[] {
  if (!/^(declare|typeset)$/.test(name?.value ?? '') || !/^-[a-zA-Z]*A[a-zA-Z]*$/.test(flags?.value ?? ''))
    return [];
  return names.flatMap(({ prefix }) => /^[A-Za-z_]\w*(?=$|=)/.exec(prefix)?.[0] ?? []);
}

/** What is known to each child of a node, by its position. */
function knownTo(
  node: SyntaxNode,
  { known, then, depth }: Step,
): (child: SyntaxNode, at: number) => readonly [Known, (Known | undefined)?] {
  switch (node.type) {
    case 'Script':
    case 'CompoundList': {
      const block = depth === 0 ? known : knownWithin(known);
      return () => [block];
    }
    case 'Statement':
      return () => (node.background ? [knownWithin(known)] : [known, then]);
    case 'Pipeline':
      if (node.commands.length > 1) return () => [knownWithin(known)];
      return () => (node.prefixes.some(({ type }) => type === 'Negation') ? [known] : [known, then]);
    case 'AndOr': {
      // Behind `||` nothing of what stands before it is sure; the first always runs.
      let chain = knownWithin(known);
      const [first] = node.commands;
      const leaves = node.commands[1];
      if (
        node.commands.length === 2 &&
        node.operators[0] === '||' &&
        leaves?.type === 'Command' &&
        /^(exit|return)$/.test(leaves.name?.text ?? '')
      ) {
        const alone = first;
        return (child) => (child === alone ? [known, known] : [knownWithin(known)]);
      }
      return (_child, at) => {
        if (at === 0) return [known, chain];
        if (node.operators[at - 1] === '||') chain = knownWithin(known);
        return [chain, chain];
      };
    }
    case 'For':
    case 'Select': {
      const body = knownWithin(known);
      body.set(node.name.value);
      return () => [body];
    }
    default:
      return () => [known];
  }
}

/** The word, with those of its variables marked that surely have a value. */
function withKnown(word: Word, known: Known): Word {
  if (word.value !== undefined) return word;
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
