import type {
  ArrayValue,
  Assignment,
  Command,
  CompoundList,
  ParsedScript,
  Pipeline,
  Redirected,
  Redirection,
  Statement,
  Word,
} from 'unbash';
import { joinedWords } from '../syntax/joined-words.ts';
import { printCompound } from './compounds.ts';
import type { Page } from './page.ts';
import { isPlainCommand, quoted } from './quote.ts';
import { printRedirection } from './redirections.ts';

type Node = Statement['command'];
type Part = Word | Assignment | Redirection;

/** Writes the commands of a script. */
export function printScript(page: Page, script: ParsedScript): void {
  printStatements(page, script.commands);
}

function printStatements(page: Page, statements: readonly Statement[]): void {
  let before: Statement | undefined;
  for (const statement of statements) {
    if (before) page.separate(before, statement, before.background ? '&' : ';');
    printNode(page, statement.command);
    if (statement.background) page.add(' &');
    before = statement;
  }
}

/** Writes a list inside of a compound command, and the word that ends it. */
function printList(page: Page, list: CompoundList, end: string): void {
  const [first] = list.commands;
  if (first) {
    page.separate(undefined, first, '');
    printStatements(page, list.commands);
  }
  page.add(first && !list.commands.at(-1)?.background && /^\w|^}/.test(end) ? `; ${end}` : ` ${end}`);
}

function printNode(page: Page, node: Node | Redirected): void {
  page.part(node, printWhole);
}

function printWhole(page: Page, node: Node | Redirected): void {
  switch (node.type) {
    case 'AndOr':
      printJoined(page, node.commands, node.operators);
      return;
    case 'Pipeline':
      printPipeline(page, node);
      return;
    case 'Command':
      printCommand(page, node);
      return;
    case 'Redirected':
      printNode(page, node.command);
      for (const redirection of node.redirects) printBehind(page, redirection);
      return;
    default:
      printCompound(page, node, inner);
      return;
  }
}

const inner = { list: printList, node: printNode };

function printBehind(page: Page, redirection: Redirection): void {
  page.add(' ');
  printRedirection(page, redirection);
}

function printPipeline(page: Page, { prefixes, commands, operators }: Pipeline): void {
  for (const prefix of prefixes) {
    if (prefix.type === 'Negation') page.add('! ');
    else page.add(`time ${prefix.posix ? '-p ' : ''}${prefix.endOfOptions ? '-- ' : ''}`);
  }
  printJoined(page, commands, operators);
}

function printJoined(page: Page, commands: readonly Node[], operators: readonly string[]): void {
  for (const [at, command] of commands.entries()) {
    if (at > 0) page.separate(undefined, command, '');
    const operator = operators[at];
    if (operator === undefined) printNode(page, command);
    else page.joined(() => printNode(page, command), operator);
  }
}

function printCommand(page: Page, command: Command): void {
  if (isPlainCommand(page.written(command))) {
    page.asWritten(command);
    return;
  }
  const { prefix, name, suffix } = command;
  let before = prefix.length === 0 ? undefined : printParts(page, prefix, undefined);
  if (name) before = printParts(page, [name], before);
  const isLet = name?.text === 'let';
  printParts(page, joinedWords(suffix), before, isLet ? printTerm : undefined);
}

/** `let x=5*2`: nobody means the files whose names fit. */
function printTerm(page: Page, word: Word): void {
  if (/^[A-Za-z_]\w*[-+*/%]?=[\w+*/%-]*\*[\w+*/%-]*$/.test(word.text)) page.add(quoted(word.text));
  else page.word(word, 'word');
}

function printParts(
  page: Page,
  parts: readonly Part[],
  before: Part | undefined,
  printWord = printPlainly,
): Part | undefined {
  let last = before;
  for (const part of parts) {
    // A number before it would belong to a redirection, so all are parted by a blank.
    if (last) page.add(' ');
    if (part.type === 'Word' || part.type === 'Assignment') page.assertApart(last, part);
    if (part.type === 'Word') printWord(page, part);
    else if (part.type === 'Assignment') printAssignment(page, part);
    else printRedirection(page, part);
    last = part;
  }
  return last;
}

function printPlainly(page: Page, word: Word): void {
  page.word(word, 'word');
}

function printAssignment(page: Page, assignment: Assignment): void {
  const { name, index, append, value } = assignment;
  if (!/^[A-Za-z_]\w*$/.test(name)) page.refuse(assignment);
  page.add(name);
  if (index) {
    page.add('[');
    page.word(index, 'subscript');
    page.add(']');
  }
  page.add(append ? '+=' : '=');
  if (value.type === 'Word') page.word(value, 'word');
  else printArray(page, value);
}

function printArray(page: Page, { elements }: ArrayValue): void {
  page.add('(');
  page.words(elements, ({ text }) => (text.startsWith('[') ? 'element' : 'word'));
  page.add(')');
}
