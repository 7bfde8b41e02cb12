import type { ReadablePage } from '../../../contract/capabilities/network.ts';
import { bareWords, nesting, titleOf } from '../words.ts';
import { decodeText } from './charset.ts';
import type { ConverterAnswer, ConverterJob } from './converter.ts';
import { prettyJson } from './json.ts';
import { isPdf, readablePdf } from './pdf.ts';

/** Turns a body into text by what it is: the header is believed where the bytes do not say otherwise. */
export async function convertPage({ url, contentType, body, plain }: ConverterJob): Promise<ConverterAnswer> {
  const declared = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const kind = kindOf(declared, body);
  switch (kind) {
    case 'html': {
      const html = decodeText(body, contentType, true);
      if (plain || nesting(html) > maxNesting) return page({ title: titleOf(html), text: bareWords(html) });
      const { readableHtml } = await import('./html.ts');
      const readable = readableHtml(html, url);
      return page(readable.text === '' ? { ...readable, text: bareWords(html) } : readable);
    }
    case 'json':
      return page({ text: prettyJson(decodeText(body, contentType, false)) });
    case 'pdf': {
      if (plain) return { kind: 'unsupported', what: 'a damaged PDF' };
      return page(await readablePdf(body));
    }
    case 'text':
      return page({ text: decodeText(body, contentType, declared.endsWith('xml')) });
    case 'binary':
      return { kind: 'unsupported', what: /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared : 'binary data' };
  }
}

/** Deeper trees cost the parsers time that grows with the square of the depth, and their stack. */
const maxNesting = 1500;

type PageKind = 'html' | 'json' | 'pdf' | 'text' | 'binary';

function kindOf(declared: string, body: Uint8Array): PageKind {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 1024)).toString('latin1');
  if (isPdf(body)) return 'pdf';
  if (declared === 'text/html' || declared === 'application/xhtml+xml') return 'html';
  if (/^\s*(?:\xef\xbb\xbf)?(?:<!--[\s\S]{0,400}?-->\s*)?<(?:!doctype\s+html|html)[\s>]/i.test(head))
    return 'html';
  if (declared === 'application/json' || declared.endsWith('+json')) return 'json';
  if (
    /^(?:text\/|application\/(?:[\w.-]+\+)?(?:xml|javascript|yaml|toml|x-sh|sql|graphql|x-ndjson)$)/.test(
      declared,
    )
  ) {
    return 'text';
  }
  const isUtf16 = head.startsWith('\xff\xfe') || head.startsWith('\xfe\xff');
  if (declared === 'image/svg+xml') return 'text';
  if (/^(?:image|audio|video|font)\//.test(declared)) return 'binary';
  // No header, or one that says nothing: text has no NUL and few control characters.
  return isUtf16 || !/[\0-\x06\x0e-\x1a\x1c-\x1f]/.test(head) ? 'text' : 'binary';
}

/** Megabytes of characters that nobody sees, whatever the header calls them, would each be looked at and written out by us. */
function page(readable: ReadablePage): ConverterAnswer {
  const { text } = readable;
  let controls = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && (code < 0x09 || code > 0x0d)) || code === 0x7f) controls += 1;
  }
  if (controls > mostControls && controls > text.length / 20)
    return { kind: 'unsupported', what: 'binary data' };
  return { kind: 'page', page: readable };
}

const mostControls = 1000;
