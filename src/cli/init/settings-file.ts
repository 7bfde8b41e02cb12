import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { ConfigError } from '../../contract/error.ts';
import { isRecord } from '../../ground/is-record.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The settings of a client's file. Throws `ConfigError` unless they are an object. */
export function settingsIn(words: string, file: string): Json {
  const problems: ParseError[] = [];
  const held: unknown = parse(words, problems, { allowTrailingComma: true });
  if (problems.length > 0 || !isRecord(held)) throw broken(file);
  return held;
}

export function broken(file: string): ConfigError {
  return new ConfigError(
    `${file} is not valid for the client, so it was left unchanged. Fix it first.`,
    `${file} はクライアントが読める形ではないため、変更していません。先に直してください。`,
  );
}

/** A file with another value there, or none, in the formatting of the rest of it. */
export function edited(
  words: string,
  path: readonly (string | number)[],
  value: unknown,
  isArrayInsertion = false,
): string {
  const indent = /^([ \t]+)\S/m.exec(words)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: words.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(words, modify(words, [...path], value, { formattingOptions, isArrayInsertion }));
}
