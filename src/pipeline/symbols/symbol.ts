/** A definition in a file and those inside it. Lines count from 1. */
export interface CodeSymbol {
  readonly kind: string;
  readonly name: string;
  readonly line: number;
  readonly endLine: number;
  readonly children: readonly CodeSymbol[];
}

/** Requests and answers of the parsing process, one line of JSON each. */
export interface ParseRequest {
  readonly id: number;
  readonly language: string;
  readonly source: string;
}

export interface ParseReply {
  readonly id: number;
  /** Undefined if the grammar cannot be loaded. */
  readonly symbols?: readonly CodeSymbol[] | undefined;
}

/** Languages by file extension. */
const byExtension: ReadonlyMap<string, string> = new Map(
  Object.entries({
    typescript: 'ts mts cts',
    tsx: 'tsx',
    javascript: 'js mjs cjs jsx',
    python: 'py pyi',
    rust: 'rs',
    go: 'go',
    java: 'java',
    c: 'c h',
    cpp: 'cc cpp cxx hpp hh hxx',
    ruby: 'rb rake',
    php: 'php',
    swift: 'swift',
    kotlin: 'kt kts',
    'c-sharp': 'cs',
    bash: 'sh bash',
  }).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension) => [extension, language] as const),
  ),
);

/** Languages with a grammar. */
export const languages: readonly string[] = [...new Set(byExtension.values())];

export function languageOf(path: string): string | undefined {
  return byExtension.get(path.slice(path.lastIndexOf('.') + 1));
}
