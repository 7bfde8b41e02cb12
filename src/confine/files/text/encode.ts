import { Buffer } from 'node:buffer';
import type { TextEncoding } from '../../../contract/capabilities/files.ts';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { encodeLegacy } from '../../../ground/text/legacy-encodings.ts';

const mark = '\ufeff';

/**
 * Encodes a text; `withBom` applies to UTF-8, and UTF-16 always has one. Throws `unsupported_encoding` for a character
 * that the encoding lacks.
 */
export function encode(content: string, encoding: TextEncoding, withBom: boolean): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(withBom ? mark + content : content, 'utf8');
    case 'utf-16le':
      return Buffer.from(mark + content, 'utf16le');
    case 'utf-16be':
      return Buffer.from(mark + content, 'utf16le').swap16();
    default: {
      const bytes = encodeLegacy(content, encoding);
      if (bytes) return bytes;
      throw new ToolError(
        'unsupported_encoding',
        text(
          `The file is in ${encoding}, which cannot represent every character of the new content.`,
          `ファイルの文字コード ${encoding} では、新しい内容の一部の文字を表せません。`,
        ),
        {
          suggestion: text(
            'Write the whole file again; it will then be in UTF-8.',
            'ファイル全体を書き直すと UTF-8 になります。',
          ),
        },
      );
    }
  }
}
