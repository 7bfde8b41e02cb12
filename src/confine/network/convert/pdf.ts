import type { ReadablePage } from '../../../contract/network.ts';

/** The words of a PDF, page by page, up to a number of pages that says when it cut. */
export async function readablePdf(body: Uint8Array): Promise<ReadablePage> {
  const { getDocumentProxy, getMeta } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(body));
  const pages: string[] = [];
  for (let number = 1; number <= Math.min(document.numPages, maxPages); number++) {
    const content = await (await document.getPage(number)).getTextContent();
    let line = '';
    for (const item of content.items) {
      if (!('str' in item)) continue;
      line += item.str + (item.hasEOL ? '\n' : '');
    }
    pages.push(line.trim());
  }
  if (document.numPages > maxPages) pages.push(`[${document.numPages - maxPages} more pages]`);
  const { info } = await getMeta(document);
  return {
    title: wordsIn(info.Title),
    author: wordsIn(info.Author),
    text: pages.join('\n\n').trim(),
  };
}

const maxPages = 500;

function wordsIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
