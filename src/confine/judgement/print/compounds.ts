import type {
  Case,
  CompoundCommand,
  CompoundList,
  Coproc,
  For,
  Function as FunctionNode,
  If,
  Select,
} from 'unbash';
import { printArithmetic } from './arithmetic.ts';
import type { Page } from './page.ts';
import { constant } from './quote.ts';
import { printTest } from './tests.ts';

type Compound = CompoundCommand | FunctionNode | Coproc;
type Body = FunctionNode['body'] | Coproc['body'];

/** Writers of what stands inside. */
interface Inner {
  list(page: Page, list: CompoundList, end: string): void;
  node(page: Page, node: Exclude<Body, CompoundList>): void;
}

/** Writes a compound command, a function or a coprocess. */
export function printCompound(page: Page, node: Compound, inner: Inner): void {
  switch (node.type) {
    case 'BraceGroup':
      page.add('{');
      inner.list(page, node.body, '}');
      return;
    case 'Subshell':
      // `((( 1 ))` and a `)` below is three subshells, and of lines between `((` and `))` bash loses words.
      if (/^\(\((\(|[\s\S]*\n)/.test(page.written(node))) page.refuse(node);
      page.bracket('(');
      inner.list(page, node.body, ')');
      return;
    case 'If':
      printIf(page, node, inner);
      return;
    case 'While':
      page.add(node.kind);
      inner.list(page, node.clause, 'do');
      inner.list(page, node.body, 'done');
      return;
    case 'For':
    case 'Select':
      printFor(page, node, inner);
      return;
    case 'ArithmeticFor':
      page.add('for ((');
      for (const [at, part] of [node.initialize, node.test, node.update].entries()) {
        if (at > 0) page.add('; ');
        if (part) printArithmetic(page, part, node);
      }
      page.add(')); do');
      inner.list(page, node.body, 'done');
      return;
    case 'Case':
      printCase(page, node, inner);
      return;
    case 'TestCommand':
      page.add('[[ ');
      printTest(page, node.expression);
      page.add(' ]]');
      return;
    case 'ArithmeticCommand':
      page.bracket('((');
      printArithmetic(page, node.expression, node);
      page.add('))');
      return;
    case 'Function':
      page.add(`${nameOf(page, node)}() `);
      printBody(page, node, inner);
      return;
    case 'Coproc':
      page.add(node.name ? `coproc ${nameOf(page, node)} ` : 'coproc ');
      printBody(page, node, inner);
      return;
  }
}

function printIf(page: Page, node: If, inner: Inner): void {
  page.add('if');
  inner.list(page, node.clause, 'then');
  let open = node.then;
  for (const branch of node.elif) {
    inner.list(page, open, 'elif');
    inner.list(page, branch.clause, 'then');
    open = branch.then;
  }
  if (node.else) {
    inner.list(page, open, 'else');
    open = node.else;
  }
  inner.list(page, open, 'fi');
}

function printFor(page: Page, node: For | Select, inner: Inner): void {
  page.add(`${node.type === 'For' ? 'for' : 'select'} ${nameOf(page, node)}`);
  if (node.wordlist) page.add(' in ');
  page.words(node.wordlist ?? [], () => 'word');
  page.add('; do');
  inner.list(page, node.body, 'done');
}

function printCase(page: Page, node: Case, inner: Inner): void {
  page.add('case ');
  page.word(node.word, 'word');
  page.add(' in');
  for (const item of node.items) {
    page.separate(undefined, item, '');
    page.add('(');
    for (const [at, pattern] of item.pattern.entries()) {
      if (at > 0) page.add(' | ');
      page.word(pattern, 'word');
    }
    page.add(')');
    inner.list(page, item.body, item.terminator ?? ';;');
  }
  page.add(' esac');
}

function nameOf(page: Page, node: FunctionNode | Coproc | For | Select): string {
  const name = node.name?.value ?? '';
  if (!/^[\w.:@+-]+$/.test(name) || constant(name) !== name) page.refuse(node);
  return name;
}

function printBody(page: Page, node: FunctionNode | Coproc, inner: Inner): void {
  if (node.body.type === 'CompoundList') page.refuse(node, 'parse-error');
  else inner.node(page, node.body);
}
