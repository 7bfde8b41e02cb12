import { Buffer } from 'node:buffer';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { occurrencesOf, type Wanted } from './occurrences.ts';

/**
 * The bytes of a Japanese text after replacements: what they did not touch keeps its very bytes, for these
 * encodings write some characters in two ways and a round trip would pick one. Throws `unsupported_encoding` where
 * an edit holds a character that the encoding lacks.
 */
export async function splice(
  former: Uint8Array,
  encoding: 'shift_jis' | 'euc-jp',
  before: string,
  edits: readonly Wanted[],
): Promise<Uint8Array> {
  let text = before;
  let bytes = former;
  const encoded = new Map<string, Uint8Array>();
  for (const edit of edits) {
    const pieces: Uint8Array[] = [];
    const words: string[] = [];
    let done = 0;
    let at = 0;
    for (const { start, end, put } of occurrencesOf(text, edit)) {
      const from = byteOffset(bytes, encoding, at, start - done);
      const instead = encoded.get(put) ?? (await encode(put, encoding));
      encoded.set(put, instead);
      pieces.push(bytes.subarray(at, from), instead);
      words.push(text.slice(done, start), put);
      at = byteOffset(bytes, encoding, from, end - start);
      done = end;
    }
    pieces.push(bytes.subarray(at));
    text = words.join('') + text.slice(done);
    bytes = Buffer.concat(pieces);
  }
  // The proof that no character was cut and none was written as another.
  if (new TextDecoder(encoding).decode(bytes) !== text) throw cannotHold(encoding);
  return bytes;
}

/** Where the bytes of so many characters end: every character of these encodings is one UTF-16 unit. */
function byteOffset(
  bytes: Uint8Array,
  encoding: 'shift_jis' | 'euc-jp',
  from: number,
  characters: number,
): number {
  let at = from;
  for (let character = 0; character < characters && at < bytes.length; character++) {
    at += widthOf(bytes[at] ?? 0, encoding);
  }
  return Math.min(at, bytes.length);
}

function widthOf(lead: number, encoding: 'shift_jis' | 'euc-jp'): number {
  if (lead < 0x80) return 1;
  if (encoding === 'euc-jp') return lead === 0x8f ? 3 : 2;
  return (lead >= 0x81 && lead <= 0x9f) || (lead >= 0xe0 && lead <= 0xfc) ? 2 : 1;
}

async function encode(words: string, encoding: 'shift_jis' | 'euc-jp'): Promise<Uint8Array> {
  if (words === '') return new Uint8Array();
  const { default: japanese } = await import('encoding-japanese');
  const to = encoding === 'shift_jis' ? 'SJIS' : 'EUCJP';
  return Uint8Array.from(japanese.convert(japanese.stringToCode(words), { from: 'UNICODE', to }));
}

function cannotHold(encoding: string): ToolError {
  return new ToolError(
    'unsupported_encoding',
    text(
      `The file is in ${encoding}, which cannot represent every character ofnew_string.`,
      `ファイルの文字コード ${encoding} では、new_string の一部の文字を表せません。`,
    ),
    {
      suggestion: text(
        'Use other characters, or write the whole file in UTF-8 with write_file.',
        '別の文字を使うか、write_file でファイル全体を UTF-8 で書き直してください。',
      ),
    },
  );
}
