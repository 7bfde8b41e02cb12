import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { encodeLegacy, legacyWidth } from '../../../ground/text/legacy-encodings.ts';
import { occurrencesOf, type Wanted } from '../../occurrences.ts';

/**
 * The bytes of a text that is not Unicode, after replacements. Untouched parts keep their exact bytes, since some of
 * these encodings write some characters in two ways and a round trip would pick one. Throws `unsupported_encoding` if
 * an edit contains a character that the encoding lacks.
 */
export function splice(
  former: Uint8Array,
  encoding: string,
  before: string,
  edits: readonly Wanted[],
): Uint8Array {
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
      const instead = encoded.get(put) ?? encodeLegacy(put, encoding);
      if (!instead) throw cannotHold(encoding);
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
  // Proves that no character was cut and none was written as another.
  if (new TextDecoder(encoding).decode(bytes) !== text) throw cannotHold(encoding);
  return bytes;
}

/** The end of the bytes of this many characters, assuming one UTF-16 unit each; the proof detects others. */
function byteOffset(bytes: Uint8Array, encoding: string, from: number, characters: number): number {
  let at = from;
  for (let character = 0; character < characters && at < bytes.length; character++) {
    at += legacyWidth(bytes, at, encoding);
  }
  return Math.min(at, bytes.length);
}

function cannotHold(encoding: string): ToolError {
  return new ToolError(
    'unsupported_encoding',
    `The file is in ${encoding}, which cannot represent every character of new_string.`,
    `ファイルの文字コード ${encoding} では、new_string の一部の文字を表せません。`,
    text(
      'Use other characters, or write the whole file in UTF-8 with write_file.',
      '別の文字を使うか、write_file でファイル全体を UTF-8 で書き直してください。',
    ),
  );
}
