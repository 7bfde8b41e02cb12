import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Language, Parser } from 'web-tree-sitter';
import { definitionsIn } from './definitions.ts';
import type { ParseReply, ParseRequest } from './symbol.ts';

/**
 * A process that only parses: receives source text and sends definitions, as one line of JSON each. Separate from the
 * server because compiling a grammar can exhaust V8's memory, which ends the process.
 */
const grammars = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/grammars/' : '../grammars/',
  import.meta.url,
);
const parsers = new Map<string, Promise<Parser | undefined>>();
const ready = Parser.init({ locateFile: () => fileURLToPath(new URL('runtime.wasm', grammars)) });

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as ParseRequest;
  const reply: ParseReply = { id: request.id, symbols: await parse(request) };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

async function parse({ language, source }: ParseRequest): Promise<ParseReply['symbols']> {
  let parser = parsers.get(language);
  if (!parser) {
    // A language without a grammar has no outline.
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
  const grammar = readFileSync(new URL(`${language}.wasm.br`, grammars));
  parser.setLanguage(await Language.load(brotliDecompressSync(grammar)));
  return parser;
}
