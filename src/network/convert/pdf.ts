import type { ReadablePage } from '../../contract/capabilities/network.ts';

/** The text of a PDF, page by page, up to limits of pages and characters; says if it was cut. */
export async function readablePdf(body: Uint8Array): Promise<ReadablePage> {
  const { getDocumentProxy, getMeta } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(body));
  const pages: string[] = [];
  let chars = 0;
  let wordless = 0;
  let number = 1;
  for (; number <= Math.min(document.numPages, maxPages) && chars < maxChars; number++) {
    const content = await (await document.getPage(number)).getTextContent();
    let line = '';
    for (const item of content.items) {
      if (!('str' in item)) continue;
      line += item.str + (item.hasEOL ? '\n' : '');
    }
    if (line.trim() === '') wordless += 1;
    pages.push(line.trim().slice(0, maxChars - chars));
    chars += line.length;
  }
  const left = document.numPages - (number - 1);
  if (left > 0) pages.push(`[${left} more pages]`);
  const { info } = await getMeta(document);
  return {
    title: wordsIn(info.Title),
    author: wordsIn(info.Author),
    text: pages.join('\n\n').trim(),
    ...(wordless > 0 && { pdfPages: { all: document.numPages, wordless } }),
  };
}

export function isPdf(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 5)).toString('latin1') === '%PDF-';
}

const maxPages = 500;
/** The same as for a page of text. */
const maxChars = 5 * 1024 * 1024;

function wordsIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
