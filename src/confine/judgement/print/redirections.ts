import type { Redirection, WordPart } from 'unbash';
import type { Page } from './page.ts';
import { isParted, quoted } from './quote.ts';

type HereDocument = Redirection & { readonly type: 'HereDoc' };

/** Writes a redirection; what stands before it must end with a blank, or a number there would belong to it. */
export function printRedirection(page: Page, redirection: Redirection): void {
  const { descriptor, operator } = redirection;
  page.part(redirection, () => {
    if (descriptor?.type === 'FileDescriptor') page.add(`${descriptor.value}`);
    else if (descriptor) page.add(`{${descriptor.name}}`);
    if (redirection.type === 'HereDoc') {
      printHereDocument(page, redirection);
      return;
    }
    if (!redirection.target) {
      page.refuse(redirection, 'parse-error');
      return;
    }
    page.add(/&$/.test(operator) ? operator : `${operator} `);
    page.word(redirection.target, 'word');
  });
}

/** Room for tabs and a backslash before the word that ends a document. */
const mayEndIn = 16;

/** A here-document: in quotes where it holds nothing but text. */
function printHereDocument(page: Page, document: HereDocument): void {
  const { body, delimiter, operator } = document;
  if (!delimiter) {
    page.refuse(document, 'parse-error');
    return;
  }
  // Behind tabs that are taken away dash keeps a backslash that ends its line, and bash does not.
  const lines = page.written({ pos: body.pos, end: body.end + mayEndIn });
  if (operator === '<<-' && !delimiter.quoted && /(^|\n)\t+\\\n/.test(lines)) page.refuse(document);
  if (!delimiter.quoted && isParted(body.text)) page.refuse(document);
  const strip =
    operator === '<<-' ? (raw: string, atStart: boolean) => withoutTabs(raw, atStart) : (raw: string) => raw;
  const parts = delimiter.quoted ? undefined : body.parts;
  const raw = strip(body.text, true);
  const text = delimiter.quoted ? raw : raw.replace(/\\([$`\\\n])/g, kept);
  const end = delimiterFor(delimiter.value, parts ? raw : text);
  page.add(`<<${parts ? end : quoted(end)}`);
  page.afterLine(() => {
    if (parts) printBody(page, parts, strip);
    else page.add(text === '' || text.endsWith('\n') ? text : `${text}\n`);
    page.add(`${end}\n`);
  });
}

function printBody(
  page: Page,
  parts: readonly WordPart[],
  strip: (raw: string, atStart: boolean) => string,
): void {
  let atStart = true;
  for (const [at, part] of parts.entries()) {
    if (part.type === 'Literal') {
      const raw = strip(part.text, atStart);
      page.add(raw.replace(/\\([$`\\\n])/g, kept).replace(/[$`\\]/g, '\\$&'));
    } else page.expansion(part, parts[at + 1], 'document');
    atStart = part.type === 'Literal' && part.text.endsWith('\n');
  }
  if (!atStart) page.add('\n');
}

function kept(_: string, char: string): string {
  return char === '\n' ? '' : char;
}

/** Lines without the tabs they begin with; what a backslash goes on with is no line of its own. */
function withoutTabs(raw: string, atStart: boolean): string {
  const inner = raw.replace(/((?:^|[^\\])(?:\\\\)*\n)\t+/g, '$1');
  return atStart ? inner.replace(/^\t+/, '') : inner;
}

/** A word that ends the document, and is no line of it. */
function delimiterFor(wanted: string, body: string): string {
  let end = /^\w+$/.test(wanted) ? wanted : 'END';
  while (body.split('\n').includes(end)) end += '_';
  return end;
}
