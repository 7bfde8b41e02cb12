import { forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash';
import type { Text } from '../../../contract/text/text.ts';
import { text } from '../../../contract/text/text.ts';

/** What a plain `sh` reads otherwise in this script, and where: as the caller wrote it. */
export function bashisms(source: string): readonly { readonly named: Text; readonly excerpt: string }[] {
  const found: { named: Text; excerpt: string }[] = [];
  const nodes: { node: SyntaxNode; text: string }[] = [{ node: parse(source), text: source }];
  for (let next = nodes.pop(); next; next = nodes.pop()) {
    const { node } = next;
    const text = node.type === 'Script' ? (node.source ?? next.text) : next.text;
    const named = bashOnly(node, text);
    if (named) found.push({ named, excerpt: text.slice(node.pos, node.end) });
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => void children.push(child));
    for (const child of children.reverse()) nodes.push({ node: child, text });
  }
  return found;
}

/**
 * What of a node a plain `sh` (dash, busybox) reads differently than bash, whose grammar the parser follows; by
 * the name that its writer would give it.
 */
function bashOnly(node: SyntaxNode, source: string): Text | undefined {
  switch (node.type) {
    case 'TestCommand':
      return named('[[ … ]]');
    case 'ArithmeticCommand':
      return named('(( … ))');
    case 'ArithmeticFor':
      return named('for (( … ))');
    case 'Select':
      return named('select');
    case 'Coproc':
      return named('coproc');
    case 'ProcessSubstitution':
      return text(`process substitution ${node.operator}(…)`, `プロセス置換 ${node.operator}(…)`);
    case 'ExtendedGlob':
      return named(`${node.operator}(…)`);
    case 'BraceExpansion':
      return text('brace expansion {a,b}', 'ブレース展開 {a,b}');
    case 'AnsiCQuoted':
      return named("$'…'");
    case 'LocaleString':
      return named('$"…"');
    case 'HereString':
      return text('the here-string <<<', 'ヒアストリング <<<');
    case 'ArrayValue':
      return array;
    case 'FileDescriptorVariable':
      return named(`{${node.name}}>`);
    case 'FileDescriptor':
      return node.value > 9 ? text(`descriptor ${node.value}`, `記述子 ${node.value}`) : undefined;
    case 'ArithmeticExpansion':
      return node.text.startsWith('$[') ? named('$[ … ]') : undefined;
    case 'Function':
      return source.slice(node.pos, node.name.pos).trim() === '' ? undefined : named('function');
    case 'Assignment':
      if (node.index !== undefined) return array;
      return node.append === true ? named('+=') : undefined;
    case 'Command':
      return splitAssignment(node);
    case 'Redirect':
      return redirection(node);
    case 'Pipeline':
      return node.operators.includes('|&') ? named('|&') : timed(node);
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&' ? named(node.terminator) : undefined;
    case 'ParameterExpansion':
      if (node.index !== undefined) return array;
      return node.prefix === '!' ||
        /^(Replace|Slice|CaseModification|Transform|Names|Unknown)$/.test(node.operation?.type ?? '')
        ? named(node.text.slice(0, shownChars))
        : undefined;
    default:
      return undefined;
  }
}

function named(words: string): Text {
  return text(`\`${words}\``, `\`${words}\``);
}

function redirection(node: SyntaxNode & { type: 'Redirect' }): Text | undefined {
  if (node.operator.startsWith('&>')) return named(node.operator);
  return node.operator === '>&' && !/^(\d|-)$/.test(node.target?.text ?? '') ? named('>&') : undefined;
}

/** For bash `time` is a word of the grammar, with no options but -p; for sh a program, with options of its own. */
function timed({ prefixes, commands: [first] }: SyntaxNode & { type: 'Pipeline' }): Text | undefined {
  if (!prefixes.some(({ type }) => type === 'Time')) return undefined;
  const isPlain = first?.type === 'Command' && /^[\w./]/.test(first.name?.text ?? '');
  return isPlain && prefixes.at(-1)?.type === 'Time' ? undefined : named('time');
}

/** `export x=$y`: where y holds blanks, sh sees several assignments. */
function splitAssignment({ name, suffix }: SyntaxNode & { type: 'Command' }): Text | undefined {
  if (!/^(export|readonly|local)$/.test(name?.value ?? '')) return undefined;
  const splits = suffix.some(
    (part) => part.type === 'Assignment' && part.value.type === 'Word' && isSplit(part.value),
  );
  return splits ? text('a value without quotes after `export`', '`export` の後の引用符のない値') : undefined;
}

function isSplit({ parts }: Word): boolean {
  return parts?.some(({ type }) => split.has(type)) ?? false;
}

const split: ReadonlySet<WordPart['type']> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
]);
const array = text('an array', '配列');
const shownChars = 30;
