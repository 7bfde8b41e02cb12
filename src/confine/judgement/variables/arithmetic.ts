import type { ParsedScript, SyntaxNode, Word as SyntaxWord, WordPart } from 'unbash';
import { countsOnly } from '../words/read-word.ts';
import type { Change } from '../writing.ts';
import type { Variables } from './values.ts';

/** A word of the syntax that bash evaluates as arithmetic, or what the parser keeps like one. */
export type Evaluated = Spelled & Pick<SyntaxWord, 'parts'>;

type Spelled = Pick<SyntaxWord, 'pos' | 'end' | 'text'>;

/** Where it stands decides what an empty value needs in order to be a 0, and where brackets may stand. */
export type EvaluatedIn = 'sum' | 'index' | 'test';

/**
 * What is neither digit, blank nor sign becomes a dot, which no arithmetic takes: bash stops at it as it does at any
 * text that is no number, and there is no name left whose subscript it would run. Digits are written out, as a range
 * of them depends on the locale.
 */
const asNumber = '//[!0123456789[:blank:]+-]/.';
const printed = `"\${1${asNumber}}"`;

/**
 * Arithmetic evaluates the content of variables again: `x='a[$(rm f)]'; $((x))` runs rm. So every name in it must
 * be one that holds numbers only.
 */
export function isSafeArithmetic(text: string, variables: Variables): boolean {
  if (/`|\$\(|\$\[|[<>]\(|\\/.test(text.replace(/\$\(\([\w\s$+*/%-]*\)\)/g, '0'))) return false;
  const bare = text
    .replace(/["']/g, '')
    // An element is its value, which is evaluated; its index in a map is a word.
    .replace(/\$\{(\w+)\[(\$?\{?\w+\}?)\](?::-\d+)?\}/g, (_, array, index) =>
      variables.isMap(array) ? array : `${array}+${index}`,
    )
    .replace(/\$\{#\w+(\[[@*]\])?\}/g, '0')
    .replace(/\b\d+#\w+|\b0[xX][\da-fA-F]+\b|\b\d\w*\b/g, '0');
  if (/\$\{[^}]*[^\w}]/.test(bare)) return false;
  // `x$n` is another name, whatever number n is.
  if (/(?<![\w${])[A-Za-z_]\w*\$/.test(bare)) return false;
  for (const [name] of bare.matchAll(/\$?\{?[A-Za-z_]\w*|\$[\d@*#?$!-]|\$\{\d+/g)) {
    if (!variables.isTame(name.replace(/^\$?\{?/, ''))) return false;
  }
  return true;
}

/** The same of a word, of which more is known than its text. */
export function isSafeWord(
  { text, parts }: Pick<Evaluated, 'text' | 'parts'>,
  variables: Variables,
): boolean {
  return isSafeArithmetic(parts ? parts.map(evaluatedOf).join('') : text, variables);
}

/** Does a substitution in arithmetic print nothing but numbers? */
export function givesNumber(script: ParsedScript | undefined): boolean {
  return countsOnly(script) || isGuarded(script);
}

/** What makes numbers of the values that are not known to be some. Bash alone has the words for it. */
export function guardsOf(word: Evaluated, where: EvaluatedIn, variables: Variables): readonly Change[] {
  if (/^[A-Za-z_]\w*(\[[\w$]+\])?$/.test(word.text)) {
    const guarded = `\${${word.text}${asNumber}}`;
    const text = { sum: `( ${guarded} + 0 )`, index: `${guarded}+0`, test: `"${guarded}"` }[where];
    return [replaced(word, text)];
  }
  // Between `[[` and `]]` a pattern without quotes around it takes other characters.
  const quote = where === 'test' ? '"' : '';
  if (!word.parts && /^\$\w+$/.test(word.text)) return guardsOfVariable(word, quote);
  return (word.parts ?? []).flatMap((part) => guardsOfPart(part, quote, variables));
}

/** An expansion is given to a shell of its own, and a substitution ends as it did. */
export function guardOfExpansion({ pos, end, text }: Spelled): readonly Change[] {
  const of = { pos, end, text };
  const status = text.startsWith('$(') ? '$?' : '0';
  return [
    { of, pos, end: pos, text: '$(set -- "' },
    { of, pos: end, end, text: `" ${status}; printf %s ${printed}; exit $2)` },
  ];
}

/**
 * `((m[$w]++))` on a map, as `let 'm[$w]++'`: bash before 5.2 expands an index between brackets a second time, and one
 * that `let` is given once.
 */
export function guardOfCount({
  pos,
  end,
  body,
}: SyntaxNode & { type: 'ArithmeticCommand' }): readonly Change[] {
  return [replaced({ pos, end, text: `((${body}))` }, `let '${body}'`)];
}

/** The map that is counted in: `m[$w]++`. */
export function countedMap(expression: string): string | undefined {
  return /^([A-Za-z_]\w*)\[\$(?:\w+|\{\w+\})\](\+\+|--)$/.exec(expression)?.[1];
}

function guardsOfPart(part: WordPart, quote: string, variables: Variables): readonly Change[] {
  switch (part.type) {
    case 'DoubleQuoted':
      return part.parts.flatMap((child) => guardsOfPart(child, '', variables));
    case 'SimpleExpansion':
      return isSafeArithmetic(part.text, variables) ? [] : guardsOfVariable(part, quote);
    case 'ParameterExpansion': {
      if (isSafeArithmetic(evaluatedOf(part), variables)) return [];
      if (!part.operation) return guardsOfVariable(part, quote);
      // A value that is assigned would stay in the shell of its own, and so would the end of `${x:?}`.
      const stays = part.operation.type === 'Default' && /[=?]/.test(part.operation.operator);
      return stays ? [] : guardOfExpansion(part);
    }
    case 'CommandExpansion':
      return givesNumber(part.script) ? [] : guardOfExpansion(part);
    default:
      return [];
  }
}

/** `$n`, `${n}` and `${n[i]}`. */
function guardsOfVariable({ pos, end, text }: Spelled, quote: string): readonly Change[] {
  const of = { pos, end, text };
  const name = /^\$(?:(\d|[A-Za-z_]\w*)|\{(\d+|[A-Za-z_]\w*)\})$/.exec(text)?.slice(1).join('');
  if (name !== undefined) return [replaced(of, `${quote}\${${name}${asNumber}}${quote}`)];
  if (!/^\$\{[A-Za-z_]\w*\[.*\]\}$/s.test(text)) return [];
  return [
    { of, pos, end: pos, text: quote },
    { of, pos: end - 1, end, text: `${asNumber}}${quote}` },
  ];
}

/** A part as arithmetic sees it, with `$#` for what is surely a number. */
function evaluatedOf(part: WordPart): string {
  if (part.type === 'DoubleQuoted') return part.parts.map(evaluatedOf).join('');
  if (part.type === 'CommandExpansion' && givesNumber(part.script)) return '$#';
  return part.type === 'ParameterExpansion' && isNumbered(part.text) ? '$#' : part.text;
}

function isNumbered(text: string): boolean {
  const name = text.slice(0, -asNumber.length - 1);
  return text.endsWith(`${asNumber}}`) && /^\$\{(\d+|[A-Za-z_]\w*(\[[^[\]/]*\])?)$/.test(name);
}

/** `set -- "$(…)" $?; printf %s "${1…}"; exit $2`, and nothing beside it. */
function isGuarded(script: ParsedScript | undefined): boolean {
  if (script?.commands.length !== 3 || script.errors?.length) return false;
  const [set, print, exit] = script.commands.map(({ command, background }) =>
    command.type === 'Command' && !background && command.prefix.length + command.redirects.length === 0
      ? [command.name, ...command.args]
      : [],
  );
  const given = set?.[2]?.type === 'Word' ? set[2] : undefined;
  const [quoted, ...others] = given?.parts ?? [];
  if (quoted?.type !== 'DoubleQuoted' || others.length > 0) return false;
  const status = quoted.parts[0]?.type === 'CommandExpansion' ? '$?' : '0';
  return (
    quoted.parts.length === 1 &&
    textsOf(set) === `set -- ${given?.text} ${status}` &&
    textsOf(print) === `printf %s ${printed}` &&
    textsOf(exit) === 'exit $2'
  );
}

function textsOf(words: readonly ({ readonly text: string } | undefined)[] | undefined): string | undefined {
  return words?.map((word) => word?.text).join(' ');
}

function replaced(of: Spelled, text: string): Change {
  const { pos, end } = of;
  return { of: { pos, end, text: of.text }, pos, end, text };
}
