import { Buffer } from 'node:buffer';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text.ts';

/**
 * The bytes of a Japanese text after a change: what did not change keeps its very bytes, for these encodings write
 * some characters in two ways and a round trip would pick one. Throws `unsupported_encoding` where the change
 * holds a character that the encoding lacks.
 */
export async function splice(
  former: Uint8Array,
  encoding: 'shift_jis' | 'euc-jp',
  before: string,
  after: string,
): Promise<Uint8Array> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++;
  }
  const pieces: Uint8Array[] = [];
  let at = byteOffset(former, encoding, 0, head);
  pieces.push(former.subarray(0, at));
  for (const part of await changes(
    before.slice(head, before.length - tail),
    after.slice(head, after.length - tail),
  )) {
    const end = part.added ? at : byteOffset(former, encoding, at, part.value.length);
    if (part.added) pieces.push(await encode(part.value, encoding));
    else if (!part.removed) pieces.push(former.subarray(at, end));
    at = end;
  }
  pieces.push(former.subarray(at));
  const bytes = Buffer.concat(pieces);
  // The proof that no character was cut and none was written as another.
  if (new TextDecoder(encoding).decode(bytes) !== after) throw cannotHold(encoding);
  return bytes;
}

interface Change {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Line by line, so that lines between two edits keep their bytes too. */
async function changes(before: string, after: string): Promise<readonly Change[]> {
  const { diffLines } = await import('diff');
  return (
    diffLines(before, after, { timeout: 500 }) ?? [
      { value: before, added: false, removed: true },
      { value: after, added: true, removed: false },
    ]
  );
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
      `The file is in ${encoding}, which cannot hold every character of new_string.`,
      `ファイルの文字コード ${encoding} では、new_string の一部の文字を表せません。`,
    ),
    {
      suggestion: text(
        'Use other characters, or write the whole file anew in UTF-8 with write_file.',
        '別の文字を使うか、write_file でファイル全体を UTF-8 で書き直してください。',
      ),
    },
  );
}
