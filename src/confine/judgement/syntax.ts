import { forEachChild, type Redirection, type SyntaxNode, type Word as SyntaxWord } from 'unbash';
import { placeOf as placeInText } from './print/page.ts';
import type { Printed } from './print/print.ts';
import { literalWord, readWord, unknownWord, type Word, wordOf } from './words.ts';

/** A command as it stands in a script. */
export interface FoundCommand {
  readonly words: readonly Word[];
  readonly excerpt: string;
  readonly place: Place;
  readonly texts: readonly Word[];
  readonly files: readonly Word[];
}

/** Where a command stands: in which functions, behind which pipes. */
export interface Place {
  readonly functions: readonly string[];
  readonly pipes: Pipe | undefined;
  /** Inside its function it runs beside others: in a pipe, in the background or in a substitution. */
  readonly forks: boolean;
}

export interface Pipe {
  readonly pipeline: object;
  readonly stage: number;
  readonly outer: Pipe | undefined;
}

export interface SyntaxVisitor {
  command(command: FoundCommand): void;
  /** Every node, before its children. */
  node(node: SyntaxNode, excerpt: () => string): void;
  unread(rule: string, excerpt: string): void;
}

interface Step {
  readonly node: SyntaxNode;
  readonly place: Place;
  readonly depth: number;
}

/** The parser keeps the text of a word without its parts past 256 levels: stop well before. */
const maxDepth = 200;

/** Walks a script, every node of it, without recursion. */
export function walkScript(printed: Printed, place: Place, visitor: SyntaxVisitor): void {
  const steps: Step[] = [{ node: printed.script, place, depth: 0 }];
  const excerptOf = (node: SyntaxNode) =>
    clean(printed.origins.get(placeInText(node.pos, node.end)) ?? printed.text.slice(node.pos, node.end));
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { node, depth } = step;
    if (depth > maxDepth) {
      visitor.unread('too-deep', excerptOf(node));
      return;
    }
    visitor.node(node, () => excerptOf(node));
    if (node.type === 'Command')
      visitor.command({ ...readCommand(node), excerpt: excerptOf(node), place: step.place });
    const here = step;
    const children: Step[] = [];
    forEachChild(node, (child) => {
      children.push({ node: child, place: placeOf(child, children.length, here), depth: depth + 1 });
    });
    for (const child of children.reverse()) steps.push(child);
  }
}

function placeOf(child: SyntaxNode, position: number, { node, place }: Step): Place {
  switch (node.type) {
    case 'Function':
      return { functions: [...place.functions, node.name.value], pipes: place.pipes, forks: false };
    case 'Pipeline': {
      if (node.commands.length < 2) return place;
      const stage = position - node.prefixes.length;
      return { ...place, pipes: { pipeline: node, stage, outer: place.pipes }, forks: true };
    }
    case 'Statement':
      return node.background ? { ...place, forks: true } : place;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
    case 'Coproc':
      return { ...place, forks: true };
    default:
      void child;
      return place;
  }
}

function readCommand(
  node: SyntaxNode & { type: 'Command' },
): Pick<FoundCommand, 'words' | 'texts' | 'files'> {
  const words: Word[] = node.name ? [readWord(node.name)] : [];
  for (const part of node.suffix) {
    if (part.type === 'Word') words.push(placed(part));
    else if (part.type === 'Assignment') words.push(assignmentWord(part));
  }
  const texts: Word[] = [];
  const files: Word[] = [];
  for (const redirect of node.redirects) readInput(redirect, texts, files);
  return { words, texts, files };
}

function placed(node: SyntaxWord): Word {
  const word = readWord(node);
  if (word.value === undefined) return word;
  return { ...word, at: { pos: node.pos, end: node.end, value: word.value } };
}

function assignmentWord(node: SyntaxNode & { type: 'Assignment' }): Word {
  const name = `${node.name}${node.index ? `[${node.index.text}]` : ''}${node.append ? '+' : ''}=`;
  if (node.value.type === 'ArrayValue') return unknownWord(node.text, name, true);
  const value = readWord(node.value);
  return wordOf([{ kind: 'literal', text: name, quoted: true }, ...value.pieces], node.text);
}

function readInput(redirect: Redirection, texts: Word[], files: Word[]): void {
  const descriptor = redirect.descriptor;
  if (descriptor && (descriptor.type !== 'FileDescriptor' || descriptor.value !== 0)) return;
  if (redirect.type === 'HereString') {
    if (redirect.target) texts.push(placed(redirect.target));
  } else if (redirect.type === 'HereDoc') {
    texts.push(hereDocument(redirect));
  } else if (redirect.operator.startsWith('<') && redirect.target) {
    const word = readWord(redirect.target);
    files.push(redirect.operator === '<&' ? unknownWord(word.text, '/dev/fd/') : word);
  }
}

function hereDocument(document: Redirection & { type: 'HereDoc' }): Word {
  const { body, delimiter } = document;
  // A document without expansions was written in quotes.
  if (delimiter?.quoted) {
    const { pos, end, text: value } = body;
    return { ...literalWord(value), at: { pos, end, value, delimiter: delimiter.value } };
  }
  if (!body.parts) return unknownWord(body.text);
  const quoted: SyntaxWord = {
    type: 'Word',
    text: body.text,
    value: body.text,
    pos: body.pos,
    end: body.end,
    parts: body.parts,
  };
  return readWord(quoted);
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
