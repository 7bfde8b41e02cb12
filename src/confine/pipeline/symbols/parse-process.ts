import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Language, Parser } from 'web-tree-sitter';
import { definitionsIn } from './definitions.ts';
import { modernizeGrammar } from './grammar-file.ts';
import type { ParseReply, ParseRequest } from './symbol.ts';

/**
 * A process that only parses: source text comes in, definitions go out, a line of JSON each. It is apart from the
 * server because compiling a grammar can exhaust V8's memory, which ends the process it happens in.
 */
const require = createRequire(import.meta.url);
const parsers = new Map<string, Promise<Parser | undefined>>();
const ready = Parser.init();

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as ParseRequest;
  const reply: ParseReply = { id: request.id, symbols: await parse(request) };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

async function parse({ language, source }: ParseRequest): Promise<ParseReply['symbols']> {
  let parser = parsers.get(language);
  if (!parser) {
    parser = load(language).catch(() => undefined);
    parsers.set(language, parser);
  }
  const tree = (await parser)?.parse(source);
  if (!tree) return undefined;
  const symbols = definitionsIn(tree.rootNode, language);
  tree.delete();
  return symbols;
}

async function load(language: string): Promise<Parser> {
  await ready;
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammarOf(language)));
  return parser;
}

/** The newer package has most grammars; C, Swift and Kotlin are in the older one. */
function grammarOf(language: string): Uint8Array {
  try {
    return readFileSync(require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`));
  } catch {
    return modernizeGrammar(
      readFileSync(require.resolve(`tree-sitter-wasms/out/tree-sitter-${language}.wasm`)),
    );
  }
}
