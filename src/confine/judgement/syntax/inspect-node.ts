import type { ArithmeticExpression, SyntaxNode, Word as SyntaxWord } from 'unbash';
import { listsAll } from '../listings.ts';
import { isDevice, ownNetwork } from '../places/targets.ts';
import { namesOwnState } from '../rules/checkpoint.ts';
import { isObeyed, isProtected } from '../rules/files/obeyed.ts';
import {
  countedMap,
  type Evaluated,
  type EvaluatedIn,
  givesNumber,
  guardOfCount,
  guardOfExpansion,
  guardsOf,
  isSafeWord,
} from '../variables/arithmetic.ts';
import type { Given } from '../variables/variables.ts';
import { isTrustedName } from '../words/counters.ts';
import { readWord } from '../words/read-word.ts';
import { literalWord, type Word } from '../words/word.ts';
import { deferAllEmptied } from './emptied-files.ts';
import type { NodeNotes } from './node-notes.ts';
import { placed } from './read-command.ts';

/** Looks at one node of the syntax: constructs that are refused, names that get values, data that becomes code. */
export function inspectNode(node: SyntaxNode, notes: NodeNotes): void {
  switch (node.type) {
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
      if (notes.strict) notes.raise('command-substitution');
      if (node.type === 'ArithmeticCommandExpansion' && !givesNumber(node.script))
        notes.defer(
          'data-as-code',
          () => true,
          () => guardOfExpansion(node),
        );
      return;
    case 'ProcessSubstitution':
      if (notes.strict) notes.raise('process-substitution');
      return;
    case 'ParameterExpansion':
      inspectExpansion(node, notes);
      return;
    case 'Command':
      if (node.prefix.length > 0 && /^(read|mapfile|readarray)$/.test(node.name?.text ?? ''))
        for (const part of node.prefix) if (part.type === 'Assignment') notes.onlyForRead(part);
      deferAllEmptied(node, notes);
      return;
    case 'ArithmeticCommand': {
      const map = countedMap(node.body);
      if (map !== undefined)
        notes.defer(
          'data-as-code',
          ({ variables }) => variables.isMap(map),
          ({ variables }) => (variables.isTame(map) ? guardOfCount(node) : []),
        );
      return;
    }
    case 'ArithmeticWord':
      if (!isNumberText(node.value)) deferTerm(node, notes);
      return;
    case 'ArithmeticBinary':
      if (/^([-+*/%&|^]|<<|>>)?=$/.test(node.operator)) assignArithmetic(node.left, notes);
      return;
    case 'ArithmeticUnary':
      if (node.operator === '++' || node.operator === '--') assignArithmetic(node.operand, notes);
      return;
    case 'TestBinary':
      if (/^-(eq|ne|lt|gt|le|ge)$/.test(node.operator)) {
        for (const side of [node.left, node.right]) deferWord(side, 'test', notes);
      }
      return;
    case 'TestUnary':
      if (/^-[vR]$/.test(node.operator) && !isPlainName(node.operand.text)) notes.raise('data-as-code');
      return;
    case 'Assignment': {
      if (node.index) deferIndex(node.index, notes, node.name);
      if (node.value.type === 'ArrayValue') {
        deferElements(node.value.elements, notes);
        notes.assign(node.name, undefined, { kind: 'array', elements: elementsOf(node.value.elements) });
        return;
      }
      const value = placed(node.value);
      if (node.append && !node.index) notes.assign(node.name, undefined, appended(value));
      else notes.assign(node.name, node.append ? undefined : value);
      return;
    }
    case 'For':
    case 'Select':
      if (node.type === 'Select' || !node.wordlist) notes.assign(node.name.value, undefined);
      else for (const word of node.wordlist) assignListed(node.name.value, word, notes);
      return;
    case 'Redirected': {
      const { command, redirects } = node;
      if (command.type !== 'While') return;
      const isOfAll = redirects.some(
        (one) =>
          one.type === 'Redirect' &&
          one.operator === '<' &&
          one.target &&
          readWord(one.target).pieces.some(listsAll),
      );
      if (isOfAll) for (const name of namesRead(command.clause)) notes.list(name);
      return;
    }
    case 'Function':
      if (isTrustedName(node.name.value)) notes.raise('data-as-code');
      return;
    case 'Coproc':
      if (node.name) notes.assign(node.name.value, undefined);
      return;
    case 'FileDescriptorVariable':
      notes.assign(node.name, undefined, { kind: 'number' });
      return;
    case 'Redirect': {
      const target = node.target && readWord(node.target);
      if (!target || /^<&?$/.test(node.operator)) {
        if (target && /^\/dev\/(tcp|udp)\//.test(target.prefix) && !ownNetwork.test(target.value ?? ''))
          notes.raise('network-device');
        return;
      }
      notes.defer('device-write', (scene) => isDevice(target, scene) === 'device');
      notes.defer('network-device', (scene) => isDevice(target, scene) === 'network');
      if (namesOwnState(target)) notes.raise('own-checkpoint');
      notes.defer('protected-name', (scene) => isProtected(target, scene));
      notes.defer('obeyed-later', (scene) => isObeyed(target, scene));
      return;
    }
  }
}

/** The names that `read` gives values to in the condition of a loop. */
function namesRead({ commands }: SyntaxNode & { type: 'CompoundList' }): readonly string[] {
  return commands.flatMap(({ command }) =>
    command.type === 'Command' && command.name?.text === 'read'
      ? command.args.flatMap((arg) =>
          arg.type === 'Word' && /^[A-Za-z_]\w*$/.test(arg.text) ? [arg.text] : [],
        )
      : [],
  );
}

function inspectExpansion(node: SyntaxNode & { type: 'ParameterExpansion' }, notes: NodeNotes): void {
  const operation = node.operation;
  if (node.index && !/^[@*]$/.test(node.index.text)) deferIndex(node.index, notes, node.parameter);
  if (node.prefix === '!' && operation?.type !== 'Names' && !/^[@*]$/.test(node.index?.text ?? '')) {
    notes.raise('data-as-code');
  }
  if (!operation) return;
  if (operation.type === 'Unknown') notes.raise('unread-expansion');
  if (operation.type === 'Transform' && !/^[UuLQEKkaA]$/.test(operation.operand.text))
    notes.raise('data-as-code');
  if (operation.type === 'Default' && /=/.test(operation.operator))
    notes.assign(node.parameter, readWord(operation.operand));
  if (operation.type === 'Slice') {
    for (const word of [operation.offset, operation.length]) if (word) deferWord(word, 'index', notes);
  }
}

/** A key of what may be a map is left as it is: another would be read or written. */
function deferIndex(index: SyntaxWord, notes: NodeNotes, array: string): void {
  notes.defer('data-as-code', ({ variables }) => !variables.isMap(array) && !isSafeWord(index, variables));
}

function deferTerm(node: SyntaxNode & { type: 'ArithmeticWord' }, notes: NodeNotes): void {
  const { pos, end, value: text, parts } = node;
  const word = { pos, end, text, parts };
  notes.defer(
    'data-as-code',
    ({ variables }) => !isSafeWord(word, variables),
    ({ variables }) => (notes.targets.has(node) ? [] : guardsOf(word, 'sum', variables)),
  );
}

function deferWord(word: Evaluated, where: EvaluatedIn, notes: NodeNotes): void {
  notes.defer(
    'data-as-code',
    ({ variables }) => !isSafeWord(word, variables),
    ({ variables }) => guardsOf(word, where, variables),
  );
}

/** `x=([i]=1)`: the index of an element is evaluated like any other. */
function deferElements(elements: readonly SyntaxWord[], notes: NodeNotes): void {
  for (const { text } of elements) {
    const end = text.startsWith('[') ? text.lastIndexOf(']') : -1;
    if (end < 0) continue;
    const index = text.slice(1, end);
    notes.defer('data-as-code', ({ variables }) => !isSafeWord({ text: index, parts: undefined }, variables));
  }
}

/** The values of an array's elements, without the indices that they are written with. */
function elementsOf(elements: readonly SyntaxWord[]): readonly Word[] {
  return elements.map((element) => {
    const keyed = /^\[[^\]]*\]=([\w./:@%+-]*)$/.exec(element.text)?.[1];
    return keyed === undefined ? readWord(element) : literalWord(keyed);
  });
}

function assignListed(name: string, word: SyntaxWord, notes: NodeNotes): void {
  const range = /^\{-?\d+\.\.-?\d+(\.\.-?\d+)?\}$/.test(word.text);
  const listed = readWord(word);
  const [only] = listed.pieces.length === 1 ? listed.pieces : [];
  if (only && listsAll(only)) notes.list(name);
  if (only?.kind === 'unknown' && only.listOf !== undefined) notes.list(name, only.listOf);
  if (range) notes.assign(name, listed, { kind: 'number' });
  else if (isFoundName(listed)) notes.assign(name, listed, { kind: 'found', word: listed });
  else if (only?.kind === 'unknown' && only.keysOf !== undefined)
    notes.assign(name, listed, { kind: 'keys', of: only.keysOf });
  else notes.assign(name, listed);
}

/** `./*` and `*.o`: what such a wildcard finds cannot be taken for options, but for letters alone. */
function isFoundName({ pieces, prefix }: Word): boolean {
  const kinds = new Set(pieces.map(({ kind }) => kind));
  if (!kinds.delete('glob') || [...kinds].some((kind) => kind !== 'literal')) return false;
  return (
    /^[^-~]/.test(prefix) ||
    pieces.some((piece) => piece.kind === 'literal' && /[^a-zA-Z=~-]/.test(piece.text))
  );
}

function assignArithmetic(target: ArithmeticExpression, notes: NodeNotes): void {
  notes.targets.add(target);
  const name = target.type === 'ArithmeticWord' ? /^[A-Za-z_]\w*/.exec(target.value)?.[0] : undefined;
  if (name) notes.assign(name, undefined, { kind: 'number' });
}

function appended(value: Word): Given {
  return /^\d+$/.test(value.value ?? '') ? { kind: 'number' } : { kind: 'wild' };
}

function isNumberText(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

function isPlainName(text: string): boolean {
  return /^[A-Za-z_]\w*(\[(\d+|@|\*)\])?$/.test(text);
}
