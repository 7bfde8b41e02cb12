import { gunzipSync } from 'node:zlib';
import type { ReadablePage } from '../../contract/capabilities/network.ts';
import { bareWords, nesting, titleOf } from '../words.ts';
import { decodeText } from './charset.ts';
import type { ConverterAnswer, ConverterJob } from './converter.ts';
import { prettyJson } from './json.ts';
import { isPdf, readablePdf } from './pdf.ts';

/** Converts a body to text by its type: the header counts unless the bytes contradict it. */
export async function convertPage(job: ConverterJob): Promise<ConverterAnswer> {
  const { url, contentType, body, full = false, plain } = unpacked(job);
  const declared = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const kind = kindOf(declared, body);
  switch (kind) {
    case 'html': {
      const { text: html, guessed: guessedEncoding } = decodeText(body, contentType, true);
      const isPlain = plain || nesting(html) > maxNesting;
      const readable = isPlain
        ? { title: titleOf(html), text: bareWords(html) }
        : (await import('./html.ts')).readableHtml(html, url, full);
      return page({ ...readable, guessedEncoding, isScripted: isScripted(html, readable.text) });
    }
    case 'json':
      return page({ text: prettyJson(decodeText(body, contentType, false).text) });
    case 'pdf': {
      if (plain) return { kind: 'unsupported', what: 'a damaged PDF' };
      return page(await readablePdf(body));
    }
    case 'text': {
      const isMarkup =
        declared.endsWith('xml') || /^\s*<\?xml/.test(Buffer.from(body).toString('latin1', 0, 100));
      const { text, guessed: guessedEncoding } = decodeText(body, contentType, isMarkup);
      return page({ text, guessedEncoding });
    }
    case 'binary':
      return { kind: 'unsupported', what: /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared : 'binary data' };
  }
}

/** A `.xml.gz` is treated as its content. One that would unpack beyond the limit of a page is unchanged. */
function unpacked(job: ConverterJob): ConverterJob {
  if (job.body[0] !== 0x1f || job.body[1] !== 0x8b) return job;
  try {
    const body = gunzipSync(job.body, { maxOutputLength: maxUnpackedBytes });
    return { ...job, body, contentType: '', url: job.url.replace(/\.gz(?=$|[?#])/i, '') };
  } catch {
    return job;
  }
}

const maxUnpackedBytes = 5 * 1024 * 1024;

/** Whether a page with little text has scripts and a place for their output. */
function isScripted(html: string, text: string): boolean {
  if (text.replace(/\s+/g, '').length >= littleChars || !/<script\b/i.test(html)) return false;
  return (
    text === '' ||
    /<noscript\b|\sid=["']?(?:root|app|__next|__nuxt|svelte|main)["'\s>]|<app-root\b/i.test(html)
  );
}

const littleChars = 200;

/** Deeper trees cost the parsers quadratic time, and their stack. */
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
  // Without a useful header: text has no NUL and few control characters.
  return isUtf16 || !/[\0-\x06\x0e-\x1a\x1c-\x1f]/.test(head) ? 'text' : 'binary';
}

/** Rejects megabytes of invisible characters, whatever the header says, because we would examine and escape each. */
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
