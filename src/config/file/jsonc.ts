import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { ConfigError } from '../../contract/error.ts';

/** The value in a file of JSON with comments. Throws `ConfigError`, naming the file and the line. */
export function parseJsonc(path: string, words: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(words, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (!first) return value;
  const line = words.slice(0, first.offset).split('\n').length;
  // Turns `CommaExpected` into "comma expected".
  const problem = printParseErrorCode(first.error).replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`);
  throw new ConfigError(
    `${path}, line ${line}: not JSON with comments: ${problem.toLowerCase()}.`,
    `${path} の ${line} 行目: コメント付き JSON として読めません（${problem}）。`,
  );
}
