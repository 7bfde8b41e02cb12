import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { languages } from '../src/pipeline/symbols/symbol.ts';
import { modernizeGrammar } from './grammar-file.ts';

/** The packages that the grammars are taken from. The newer one has most; C, Swift and Kotlin are in the older one. */
export const grammarPackages = ['node_modules/@vscode/tree-sitter-wasm', 'node_modules/tree-sitter-wasms'];

/**
 * Writes the grammars of the languages that we outline, and the runtime that reads them: 2 MB of the 72 that the two
 * packages have.
 */
export function writeGrammars(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const language of languages) {
    const newer = `node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`;
    const older = `node_modules/tree-sitter-wasms/out/tree-sitter-${language}.wasm`;
    const grammar = modernizeGrammar(readFileSync(existsSync(newer) ? newer : older));
    writeFileSync(`${folder}/${language}.wasm.br`, brotliCompressSync(grammar, { params: quick }));
  }
  writeFileSync(`${folder}/runtime.wasm`, readFileSync('node_modules/web-tree-sitter/web-tree-sitter.wasm'));
}

/** 0.3 s for all; the best takes a minute and saves a tenth. */
const quick = { [constants.BROTLI_PARAM_QUALITY]: 5 };
