import type { ParameterExpansionPart, ParameterOperation, WordPart } from 'unbash';
import { printArithmetic } from './arithmetic.ts';
import type { Around, Page } from './page.ts';

/** Writes an expansion. Throws `Unprintable` for a part of a word that is none. */
export function printExpansion(page: Page, part: WordPart, next: WordPart | undefined, around: Around): void {
  switch (part.type) {
    case 'SimpleExpansion':
      printVariable(page, part, next);
      return;
    case 'ParameterExpansion':
      printParameter(page, part, around);
      return;
    case 'ArithmeticExpansion':
      page.add('$((');
      printArithmetic(page, part.expression, part);
      page.add('))');
      return;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      if (!part.script) {
        page.refuse(part, 'too-deep');
        return;
      }
      if ((part.type === 'ProcessSubstitution' && around !== 'bare') || !isEnded(part.text)) {
        page.refuse(part);
        return;
      }
      page.add(part.type === 'CommandExpansion' ? '$(' : `${part.operator}(`);
      page.script(part.script);
      page.bracket(')');
      return;
    default:
      page.refuse(part);
      return;
  }
}

/** In a here-document the parser takes a substitution that nothing ends for one that its body ends; a shell does not. */
function isEnded(text: string): boolean {
  return text.startsWith('`') ? /^`(?:[^\\`]|\\[\s\S])*`$/.test(text) : text.endsWith(')');
}

/** `$x`, in braces where what follows would be taken for more of the name. */
function printVariable(
  page: Page,
  part: WordPart & { type: 'SimpleExpansion' },
  next: WordPart | undefined,
): void {
  const name = part.text.replaceAll('\\\n', '').slice(1);
  // Braces are taken apart before names are read: `$x{a,b}` is `$xa $xb`.
  if (next?.type === 'BraceExpansion' && /[{,]\w/.test(next.text)) page.refuse(part);
  const ends =
    !next ||
    (next.type === 'Literal' && /^[^\w[\\{},]/.test(next.text)) ||
    /^(?!Brace).*Expansion$/.test(next.type);
  page.add(/^\w/.test(name) && !ends ? `\${${name}}` : `$${name}`);
}

function printParameter(page: Page, part: ParameterExpansionPart, around: Around): void {
  if (!/^(\w+|[@*#?$!-])$/.test(part.parameter)) page.refuse(part);
  page.add(`\${${part.prefix ?? ''}${part.parameter}`);
  if (part.index) {
    page.add('[');
    page.word(part.index, 'subscript');
    page.add(']');
  }
  if (part.operation) printOperation(page, part, part.operation, around);
  page.add('}');
}

function printOperation(
  page: Page,
  part: ParameterExpansionPart,
  operation: ParameterOperation,
  around: Around,
): void {
  switch (operation.type) {
    case 'Default':
      page.add(operation.operator);
      page.word(operation.operand, around === 'bare' ? 'operand' : 'quoted-operand');
      return;
    case 'Remove':
      page.add(operation.operator);
      page.word(operation.operand, 'pattern');
      return;
    case 'Replace':
      page.add(operation.operator);
      page.word(operation.pattern, 'pattern');
      page.add('/');
      page.word(operation.replacement, 'replacement');
      return;
    case 'Slice':
      // `${x:-1}` would be a default.
      page.add(/^[\w($ ]/.test(operation.offset.text) ? ':' : ': ');
      page.word(operation.offset, 'subscript');
      if (!operation.length) return;
      page.add(':');
      page.word(operation.length, 'subscript');
      return;
    case 'CaseModification':
      page.add(operation.operator);
      if (operation.operand) page.word(operation.operand, 'pattern');
      return;
    case 'Transform':
      if (!/^[A-Za-z]$/.test(operation.operand.text)) page.refuse(part, 'unread-expansion');
      page.add(`@${operation.operand.text}`);
      return;
    case 'Names':
      page.add(operation.operator);
      return;
    case 'Unknown':
      page.refuse(part, 'unread-expansion');
      return;
  }
}
