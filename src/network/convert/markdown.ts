import TurndownService from 'turndown';
import type { HtmlElement, HtmlNode } from './dom.ts';

/** Markdown of an element: keeps tables and code, makes addresses of links and pictures absolute, and drops scripts. */
export function toMarkdown(root: HtmlElement, base: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  // The library's types require a browser's DOM; its rules get our elements.
  const add = (key: string, filter: (node: HtmlElement) => boolean, replacement: Replacement): void => {
    service.addRule(key, { filter, replacement } as unknown as TurndownService.Rule);
  };
  add(
    'nothing',
    (node) => dropped.has(node.nodeName),
    () => '',
  );
  add(
    'link',
    (node) => node.nodeName === 'A',
    (content, node) => link(content, node, base),
  );
  add(
    'picture',
    (node) => node.nodeName === 'IMG',
    (_content, node) => picture(node, base),
  );
  add(
    'code',
    (node) => node.nodeName === 'PRE',
    (_content, node) => codeBlock(node),
  );
  add(
    'cell',
    (node) => node.nodeName === 'TD' || node.nodeName === 'TH',
    (content) => `${content}\n\n`,
  );
  add(
    'rows',
    (node) => rowParts.has(node.nodeName),
    (content) => content,
  );
  add(
    'table',
    (node) => node.nodeName === 'TABLE',
    (content, node) => table(node, content, service),
  );
  return service
    .turndown(root as unknown as TurndownService.Node)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

type Replacement = (content: string, node: HtmlElement) => string;

const dropped = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME SVG svg OBJECT BUTTON'.split(' '));
const rowParts = new Set(['TR', 'THEAD', 'TBODY', 'TFOOT', 'CAPTION', 'COLGROUP', 'COL']);

function link(content: string, node: HtmlElement, base: string): string {
  const words = content.replace(/\s*\n\s*/g, ' ').trim();
  const href = webAddress(node.getAttribute('href'), base);
  if (words === '' || href === undefined) return words;
  return `[${words}](${href})`;
}

function picture(node: HtmlElement, base: string): string {
  const src = webAddress(node.getAttribute('src'), base);
  const alt = (node.getAttribute('alt') ?? '').replace(/\s+/g, ' ').replace(/[[\]]/g, '').trim();
  // A picture without alternative text is decoration or a tracking pixel.
  return src === undefined || alt === '' ? '' : `![${alt}](${src})`;
}

/** Absolute, and only fetchable addresses: `javascript:` and `data:` are dropped. */
function webAddress(address: string | null, base: string): string | undefined {
  const trimmed = address?.trim();
  if (!trimmed || trimmed.startsWith('#') || !URL.canParse(trimmed, base)) return undefined;
  const url = new URL(trimmed, base);
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol) || url.href.length > maxAddressChars)
    return undefined;
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

const maxAddressChars = 2000;

function codeBlock(node: HtmlElement): string {
  const inner = node.querySelector('code');
  const words = `${node.className} ${inner?.className ?? ''} ${node.parentNode?.className ?? ''}`;
  const language = /(?:language|lang|highlight-source|brush:)[-:\s]\s*([\w+#-]+)/.exec(words)?.[1] ?? '';
  const code = (node.textContent ?? '').replace(/\n$/, '');
  // A fence longer than any in the code, so that the code cannot end its own block.
  const longest = Math.max(2, ...Array.from(code.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

function table(node: HtmlElement, content: string, service: TurndownService): string {
  const rows = ownRows(node).slice(0, maxRows);
  const grid = gridOf(rows, service);
  const width = Math.max(0, ...grid.map((row) => row.length));
  // Tables used for layout read better as plain content.
  if (width < 2 || node.querySelector('table') || node.getAttribute('role') === 'presentation')
    return `\n\n${content.trim()}\n\n`;
  const lines = grid.map(
    (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`,
  );
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  const caption = node.querySelector('caption')?.textContent?.replace(/\s+/g, ' ').trim();
  return `\n\n${caption ? `${caption}\n\n` : ''}${lines.join('\n')}\n\n`;
}

const maxRows = 5000;
const maxColumns = 100;

/** Each cell under its heading: one that spans rows is repeated in each, one that spans columns is in its first. */
function gridOf(rows: readonly HtmlElement[][], service: TurndownService): readonly string[][] {
  const grid: string[][] = rows.map(() => []);
  for (const [at, row] of rows.entries()) {
    let column = 0;
    for (const cell of row) {
      while (grid[at]?.[column] !== undefined) column += 1;
      const words = cellText(cell, service);
      const columns = Math.min(spanOf(cell, 'colspan') || 1, Math.max(0, maxColumns - column));
      const down = Math.min(spanOf(cell, 'rowspan') || rows.length, rows.length - at);
      for (let below = 0; below < down; below += 1) {
        for (let beside = 0; beside < columns; beside += 1) {
          const line = grid[at + below];
          if (line) line[column + beside] ??= beside === 0 ? words : '';
        }
      }
      column += columns;
    }
  }
  return grid;
}

/** 0 means up to the last row. */
function spanOf(cell: HtmlElement, name: 'colspan' | 'rowspan'): number {
  const written = cell.getAttribute(name) ?? '';
  return /^\s*\d{1,5}/.test(written) ? Number.parseInt(written, 10) : 1;
}

function ownRows(node: HtmlElement): HtmlElement[][] {
  return node
    .querySelectorAll('tr')
    .map((row) =>
      Array.from(row.childNodes).filter(
        (child): child is HtmlElement => child.nodeName === 'TD' || child.nodeName === 'TH',
      ),
    )
    .filter((row) => row.length > 0);
}

function cellText(cell: HtmlElement, service: TurndownService): string {
  const isPlain = Array.from(cell.childNodes).every((child: HtmlNode) => child.nodeType === textNode);
  const words = isPlain
    ? (cell.textContent ?? '')
    : service.turndown(cell as unknown as TurndownService.Node);
  return words
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\\)\|/g, '\\|');
}

const textNode = 3;
